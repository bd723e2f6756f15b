import type { StripeRequest } from './simulator-endpoint.ts'
import { missingObject } from './simulator-errors.ts'
import { expandObject, expandPaths } from './simulator-expand.ts'
import { DEMO_ACCOUNT } from './simulator-keys.ts'
import { createdRange, listText, windowOf } from './simulator-lists.ts'
import { chargeObject, chargePlans, findObject, type Kind } from './simulator-objects.ts'
import { textOf } from './simulator-parameters.ts'

/** GET /v1/charges/{id}, /v1/payment_intents/{id}, /v1/customers/{id} */
export function retrieveObject(kind: Kind): (request: StripeRequest) => string {
  return (request) => {
    const object = findObject(request.account, kind, request.id)
    if (!object) throw missingObject(kind, request.id, kind)
    return JSON.stringify(expandObject(request, object, expandPaths(request, false)))
  }
}

/** GET /v1/charges. Seldom asked, so it may sort: the payments of all disputes, newest first. */
export function listCharges(request: StripeRequest): string {
  const { account, parameters } = request
  const plans = chargePlans(account)
  const { limit, after } = windowOf(parameters, 'charge', (id) => {
    const index = plans.findIndex((plan) => `ch_3${plan.token}` === id)
    return index < 0 ? undefined : { at: index, sequence: index }
  })
  const { from = 0, until = Number.POSITIVE_INFINITY } = createdRange(parameters)
  const intent = textOf(parameters, 'payment_intent')
  const customer = textOf(parameters, 'customer')
  const paths = expandPaths(request, true)
  const charges = plans
    .slice(after ? after.at + 1 : 0)
    .filter((plan) => plan.chargedAt >= from && plan.chargedAt <= until)
    .filter((plan) => intent === undefined || `pi_3${plan.token}` === intent)
    .filter((plan) => customer === undefined || `cus_${plan.token.slice(0, 14)}` === customer)
  const page = charges.slice(0, limit).map((plan) => JSON.stringify(expandObject(request, chargeObject(plan), paths)))
  return listText('/v1/charges', page, charges.length > limit)
}

/** GET /v1/account: the account of the key, or the one that Stripe-Context names. */
export function retrieveAccount({ account }: StripeRequest): string {
  const name = account.id === DEMO_ACCOUNT ? 'Recoup Demo Shop' : `Simulated shop ${account.id.slice(5)}`
  return JSON.stringify({
    id: account.id,
    object: 'account',
    business_profile: { mcc: '5734', name, support_email: 'support@example.com', url: 'https://shop.example.com' },
    business_type: 'company',
    capabilities: { card_payments: 'active', transfers: 'active' },
    charges_enabled: true,
    country: 'US',
    created: 1_700_000_000,
    default_currency: 'usd',
    details_submitted: true,
    email: 'owner@example.com',
    metadata: {},
    payouts_enabled: true,
    settings: { dashboard: { display_name: name, timezone: 'Etc/UTC' } },
    type: 'standard',
  })
}

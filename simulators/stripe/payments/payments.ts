import type { StripeRequest } from '../endpoint.ts'
import { missingObject } from '../errors.ts'
import { expandObject, expandPaths } from '../expand.ts'
import { createdRange, listText, windowOf } from '../lists.ts'
import { chargeObject, chargesOf, findObject, type Kind } from '../objects.ts'
import { textOf } from '../parameters.ts'

/** GET /v1/charges/{id}, /v1/payment_intents/{id}, /v1/customers/{id} */
export function retrieveObject(kind: Kind): (request: StripeRequest) => string {
  return (request) => {
    const object = findObject(request.account, kind, request.id)
    if (!object) throw missingObject(kind, request.id, kind)
    return JSON.stringify(expandObject(request, object, expandPaths(request, false)))
  }
}

/** GET /v1/charges. Rarely used, so it may sort: the payments of all disputes, newest first. */
export function listCharges(request: StripeRequest): string {
  const { account, parameters } = request
  const all = chargesOf(account)
  const { limit, after } = windowOf(parameters, 'charge', (id) => {
    const index = all.findIndex((charge) => charge.id === id)
    return index < 0 ? undefined : { at: index, sequence: index }
  })
  const { from = 0, until = Number.POSITIVE_INFINITY } = createdRange(parameters)
  const intent = textOf(parameters, 'payment_intent')
  const customer = textOf(parameters, 'customer')
  const paths = expandPaths(request, true)
  const charges = all
    .slice(after ? after.at + 1 : 0)
    .filter(({ chargedAt }) => chargedAt >= from && chargedAt <= until)
    .filter(({ plan, earlier }) => intent === undefined || (earlier === null && `pi_3${plan.token}` === intent))
    .filter(({ plan }) => customer === undefined || `cus_${plan.token.slice(0, 14)}` === customer)
  const page = charges.slice(0, limit).map(({ plan, earlier }) => {
    return JSON.stringify(expandObject(request, chargeObject(plan, earlier), paths))
  })
  return listText('/v1/charges', page, charges.length > limit)
}

import type Stripe from 'stripe'
import type { StripeRequest } from './endpoint.ts'
import { badParameter, missingReference, refusedByState } from './errors.ts'
import { findObject } from './objects.ts'
import { type Parameters, textOf } from './parameters.ts'

type Staged = Stripe.Dispute.Evidence.EnhancedEvidence.VisaCompellingEvidence3
type Disputed = NonNullable<Staged['disputed_transaction']>
type Prior = Staged['prior_undisputed_transactions'][number]
type Action = Stripe.Dispute.EvidenceDetails.EnhancedEligibility.VisaCompellingEvidence3.RequiredAction

const BASE = 'evidence[enhanced_evidence][visa_compelling_evidence_3]'
/** Shortest ids of a device (the SDK's comments). */
const SHORTEST = { customer_device_fingerprint: 20, customer_device_id: 15 } as const
const STRONG = ['customer_purchase_ip', 'customer_device_id', 'customer_device_fingerprint'] as const
const IDENTIFIERS = [...STRONG, 'customer_account_id', 'customer_email_address'] as const
const ADDRESS = ['city', 'country', 'line1', 'line2', 'postal_code', 'state'] as const

/** Sets Visa compelling evidence 3.0 on the dispute and reports what is missing. @throws StripeRefusal 400 */
export function stageCompellingEvidence(request: StripeRequest, dispute: Stripe.Dispute, given: Parameters): void {
  const eligibility = dispute.evidence_details.enhanced_eligibility.visa_compelling_evidence_3
  if (!eligibility) throw refusedByState('This dispute is not eligible for visa_compelling_evidence_3.')
  const { disputed_transaction: disputed, prior_undisputed_transactions: priors } = given
  const { enhanced_evidence: enhanced } = dispute.evidence
  const before = enhanced.visa_compelling_evidence_3 as Staged | undefined
  const staged: Staged = {
    disputed_transaction: typeof disputed === 'object' ? disputedOf(disputed) : (before?.disputed_transaction ?? null),
    prior_undisputed_transactions:
      typeof priors === 'object' ? priorsOf(request, priors) : (before?.prior_undisputed_transactions ?? []),
  }
  enhanced.visa_compelling_evidence_3 = staged
  if (eligibility.status === 'not_qualified') return
  eligibility.required_actions = missingOf(staged)
  eligibility.status = eligibility.required_actions.length === 0 ? 'qualified' : 'requires_action'
}

function priorsOf(request: StripeRequest, given: Parameters): Prior[] {
  const param = `${BASE}[prior_undisputed_transactions]`
  const priors = Object.values(given).filter((prior) => typeof prior === 'object')
  if (priors.length !== 2) throw badParameter(param, 'Exactly two prior undisputed transactions are needed.')
  const charges = priors.map((prior, index) => chargeOf(request, textOf(prior, 'charge'), `${param}[${index}][charge]`))
  if (charges[0] === charges[1]) throw badParameter(param, 'The two prior undisputed transactions must differ.')
  return priors.map((prior, index) => ({ charge: charges[index] ?? '', ...purchaseOf(prior) }))
}

/** An undisputed charge of this account. */
function chargeOf({ account }: StripeRequest, id: string | undefined, param: string): string {
  if (id === undefined) throw badParameter(param, `Missing required param: ${param}.`, 'parameter_missing')
  if (!findObject(account, 'charge', id)) throw missingReference('charge', id, param)
  if ((account.byLink.get(id) ?? []).length > 0) throw refusedByState(`The charge ${id} has been disputed itself.`)
  return id
}

function disputedOf(given: Parameters): Disputed {
  return { merchandise_or_services: textOf(given, 'merchandise_or_services') ?? null, ...purchaseOf(given) }
}

function purchaseOf(given: Parameters): Omit<Prior, 'charge'> {
  const text = (name: string) => textOf(given, name) || null
  for (const [name, least] of Object.entries(SHORTEST)) {
    if ((text(name)?.length ?? least) < least) throw badParameter(BASE, `${name} needs ${least} characters.`)
  }
  const { shipping_address: address } = given
  const part = (name: string) => (typeof address === 'object' ? textOf(address, name) || null : null)
  return {
    customer_account_id: text('customer_account_id'),
    customer_device_fingerprint: text('customer_device_fingerprint'),
    customer_device_id: text('customer_device_id'),
    customer_email_address: text('customer_email_address'),
    customer_purchase_ip: text('customer_purchase_ip'),
    product_description: text('product_description'),
    shipping_address:
      typeof address === 'object'
        ? (Object.fromEntries(ADDRESS.map((name) => [name, part(name)])) as unknown as Stripe.Address)
        : null,
  }
}

/** In Stripe's terms. Two customer identifiers must be equal in all three, one of them an IP address or a device. */
function missingOf({ disputed_transaction: disputed, prior_undisputed_transactions: priors }: Staged): Action[] {
  const equal = IDENTIFIERS.filter((name) => {
    const value = disputed?.[name]
    return value && priors.every((prior) => prior[name] === value)
  })
  const whole = (address: Stripe.Address | null | undefined) => ADDRESS.every((name) => address?.[name])
  const same = [disputed, ...priors].map((purchase) => JSON.stringify(purchase?.shipping_address ?? null))
  const shipped = whole(disputed?.shipping_address) && new Set(same).size === 1 ? 1 : 0
  const identified = equal.length + shipped >= 2 && STRONG.some((name) => equal.includes(name))
  const actions: [boolean, Action][] = [
    [!identified, 'missing_customer_identifiers'],
    [!disputed?.product_description, 'missing_disputed_transaction_description'],
    [!disputed?.merchandise_or_services, 'missing_merchandise_or_services'],
    [priors.some((prior) => !prior.product_description), 'missing_prior_undisputed_transaction_description'],
    [priors.length === 0, 'missing_prior_undisputed_transactions'],
  ]
  return actions.filter(([missing]) => missing).map(([, action]) => action)
}

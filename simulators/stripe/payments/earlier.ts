import type Stripe from 'stripe'
import type { DisputePlan } from '../../engine/contract.ts'
import { drawFrom } from '../../engine/draw.ts'
import { COMPELLING, situationOf } from '../situations.ts'
import { personOf } from './people.ts'

const DAY = 86_400
/** Ends of the ids of the two earlier charges, after the token of the dispute. */
const ENDS = ['E1', 'E2'] as const

type CompellingEvidence = Stripe.Dispute.Evidence.EnhancedEvidence.VisaCompellingEvidence3

export interface EarlierCharge {
  id: string
  chargedAt: number
}

/** Earlier purchases that nobody disputed, 120 to 365 days before the dispute as Visa wants them; else none. */
export function earlierCharges(plan: DisputePlan): EarlierCharge[] {
  if (situationOf(plan).variant !== COMPELLING) return []
  const draw = drawFrom(`${plan.token} earlier`)
  return ENDS.map((end, index) => ({
    id: `ch_3${plan.token}${end}`,
    chargedAt: plan.createdAt - draw.between(130 + index * 110, 220 + index * 110) * DAY,
  }))
}

/** Token of the dispute that an earlier charge belongs to; null for any other id. */
export function tokenInEarlier(chargeId: string): string | null {
  return /^ch_3(\w{22})E[12]$/.exec(chargeId)?.[1] ?? null
}

/** What Stripe fills in by itself: same customer, device, address and account in all three purchases. */
export function prefilledEvidence(plan: DisputePlan): CompellingEvidence | undefined {
  const earlier = earlierCharges(plan)
  if (earlier.length === 0) return undefined
  const person = personOf(plan.token)
  const purchase = {
    customer_account_id: person.customerNumber,
    customer_device_fingerprint: null,
    customer_device_id: person.device,
    customer_email_address: person.email,
    customer_purchase_ip: person.ip,
    product_description: person.product,
    shipping_address: null,
  }
  return {
    disputed_transaction: { ...purchase, merchandise_or_services: 'merchandise' },
    prior_undisputed_transactions: earlier.map(({ id }) => ({ charge: id, ...purchase })),
  }
}

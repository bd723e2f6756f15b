import type Stripe from 'stripe'
import type { DisputePlan } from '../engine/contract.ts'
import { drawFrom } from '../engine/draw.ts'
import { prefilledEvidence } from './payments/earlier.ts'
import { disputeTransaction } from './payments/money.ts'
import { type Person, personOf } from './payments/people.ts'
import { reasonOf, situationOf } from './situations.ts'

/** A dispute in Stripe's format, from its plan. Deterministic. */
export function buildDispute(plan: DisputePlan): Stripe.Dispute {
  const situation = situationOf(plan)
  const reason = reasonOf(plan)
  const draw = drawFrom(`${plan.token} dispute`)
  const person = personOf(plan.token)
  const { variant, word } = situation
  const submitted = variant !== 'staged' && isSubmitted(word, variant, draw.chance(60))
  const smart = submitted && variant === 'chargeback' && draw.chance(15)
  const withdrawn = movesFunds(variant)
  const money = { id: plan.reference, amount: plan.amount, currency: plan.currency.toLowerCase() }
  const balance_transactions = withdrawn ? [disputeTransaction(money, 'withdrawal', plan.createdAt)] : []
  if (withdrawn && word === 'won') {
    balance_transactions.push(disputeTransaction(money, 'reinstatement', plan.endedAt))
  }
  const eligibility = eligibilityOf(plan, submitted)
  return {
    id: plan.reference,
    object: 'dispute',
    amount: plan.amount,
    balance_transactions,
    charge: `ch_3${plan.token}`,
    created: plan.createdAt,
    currency: money.currency,
    enhanced_eligibility_types: Object.keys(eligibility),
    evidence: evidenceOf(plan, person, submitted || variant === 'staged'),
    evidence_details: {
      due_by: dueByOf(plan),
      enhanced_eligibility: eligibility,
      has_evidence: submitted || variant === 'staged',
      past_due: variant === 'staged',
      submission_count: submitted ? 1 : 0,
      submission_method: submitted ? (smart ? 'smart_disputes' : 'manual') : 'not_submitted',
    },
    intended_submission_method: smart ? 'smart_disputes' : null,
    is_charge_refundable: variant === 'inquiry' && situation.open,
    livemode: false,
    metadata: {},
    ...(reason.code === null || reason.kind === 'klarna' ? {} : { network_reason_code: reason.code }),
    payment_intent: paymentIntentOf(plan),
    payment_method_details: paymentMethodOf(plan),
    reason: reason.word,
    status: word,
  }
}

/** An inquiry or a prevented dispute takes no money. */
export function movesFunds(variant: string): boolean {
  return variant !== 'inquiry' && variant !== 'block' && variant !== 'resolution'
}

/** Old integrations charge without a payment intent. */
export function paymentIntentOf({ token }: DisputePlan): string | null {
  return token.charCodeAt(3) % 10 === 0 ? null : `pi_3${token}`
}

/** An appeal follows a submission; inquiries and alerts may end without one; a loss may be a missed deadline. */
function isSubmitted(word: string, variant: string, chance: boolean): boolean {
  if (variant === 'appeal') return true
  if (word.endsWith('under_review') || word === 'won') return true
  if (word === 'lost' || word === 'warning_closed') return chance
  return false
}

/** 0 and null both mean that the bank accepts no response. */
function dueByOf(plan: DisputePlan): number | null {
  const { stage } = situationOf(plan)
  if (plan.dueAt !== null) return plan.dueAt
  return stage === 'alert' && plan.token.charCodeAt(0) % 2 === 0 ? 0 : null
}

function evidenceOf(plan: DisputePlan, person: Person, filled: boolean): Stripe.Dispute.Evidence {
  const { variant } = situationOf(plan)
  const compelling = prefilledEvidence(plan)
  const line = [person.address.line1, person.address.line2, person.address.postal_code, person.address.city]
  return {
    access_activity_log: null,
    appeal: variant === 'appeal' ? { card: {} } : null,
    billing_address: null,
    cancellation_policy: null,
    cancellation_policy_disclosure: null,
    cancellation_rebuttal: null,
    customer_communication: null,
    // Stripe fills these in from the charge before the merchant acts.
    customer_email_address: person.email,
    customer_name: person.name,
    customer_purchase_ip: person.ip,
    customer_signature: null,
    duplicate_charge_documentation: null,
    duplicate_charge_explanation: null,
    duplicate_charge_id: null,
    enhanced_evidence: compelling ? { visa_compelling_evidence_3: compelling } : {},
    product_description: filled ? person.product : null,
    receipt: null,
    refund_policy: null,
    refund_policy_disclosure: null,
    refund_refusal_explanation: null,
    service_date: null,
    service_documentation: null,
    shipping_address: filled ? line.filter((part) => part !== null).join(', ') : null,
    shipping_carrier: null,
    shipping_date: null,
    shipping_documentation: null,
    shipping_tracking_number: null,
    uncategorized_file: null,
    uncategorized_text: filled ? 'The customer received and used the product.' : null,
  }
}

function eligibilityOf(plan: DisputePlan, submitted: boolean): Stripe.Dispute.EvidenceDetails.EnhancedEligibility {
  const { scheme, code, kind } = reasonOf(plan)
  if (kind === 'compliance') {
    const status = submitted ? 'fee_acknowledged' : 'requires_fee_acknowledgement'
    return scheme === 'visa' ? { visa_compliance: { status } } : { mastercard_compliance: { status } }
  }
  if (scheme !== 'visa' || code !== '10.4') return {}
  if (prefilledEvidence(plan)) return { visa_compelling_evidence_3: { required_actions: [], status: 'qualified' } }
  if (plan.token.charCodeAt(1) % 4 === 0) {
    return { visa_compelling_evidence_3: { required_actions: [], status: 'not_qualified' } }
  }
  return {
    visa_compelling_evidence_3: {
      required_actions: ['missing_merchandise_or_services', 'missing_prior_undisputed_transactions'],
      status: 'requires_action',
    },
  }
}

function paymentMethodOf(plan: DisputePlan): Stripe.Dispute.PaymentMethodDetails {
  const { kind, scheme, code } = reasonOf(plan)
  const { variant } = situationOf(plan)
  if (kind === 'amazon_pay') {
    return { amazon_pay: { dispute_type: variant === 'claim' ? 'claim' : 'chargeback' }, type: 'amazon_pay' }
  }
  if (kind === 'klarna') return { klarna: { reason_code: code }, type: 'klarna' }
  if (kind === 'paypal') {
    return { paypal: { case_id: `PP-R-${plan.token.slice(0, 8).toUpperCase()}`, reason_code: code }, type: 'paypal' }
  }
  const ownCase = ['inquiry', 'block', 'resolution', 'compliance'].includes(variant)
  const network = scheme ?? 'unknown'
  return {
    card: {
      // On co-badged cards the network is not the brand.
      brand: network === 'cartes_bancaires' ? 'visa' : network,
      case_type: ownCase ? variant : 'chargeback',
      network,
      network_reason_code: code,
    },
    type: 'card',
  }
}

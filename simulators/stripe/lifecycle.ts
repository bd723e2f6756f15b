import type Stripe from 'stripe'
import type { JsonObject, Outcome, Reading } from '../engine/contract.ts'
import { disputeTransaction } from './payments/money.ts'

/** Statuses in which the merchant has to answer. */
const WAITING = ['needs_response', 'warning_needs_response', 'appeal_needs_response']
/** Extension of the due date when a dispute is reopened, in seconds. */
const REOPENED_FOR = 10 * 86_400

/** The engine stores PSP objects as plain JSON; these files cast them to Stripe's. */
export function asDispute(object: JsonObject): Stripe.Dispute {
  return object as unknown as Stripe.Dispute
}

export function isWaiting(dispute: Stripe.Dispute): boolean {
  return WAITING.includes(dispute.status)
}

/** Reads any added object, however malformed, without throwing. */
export function readDispute(object: JsonObject): Reading {
  if (typeof object !== 'object' || object === null) {
    return { reference: null, word: 'unknown', createdAt: null, deadline: null, links: [] }
  }
  const dispute = asDispute(object)
  const { charge, payment_intent, evidence_details: details } = dispute
  const links: string[] = []
  for (const part of [charge, payment_intent]) {
    const id = typeof part === 'string' ? part : part?.id
    if (typeof id === 'string') links.push(id)
  }
  const token = /^ch_3(\w+)$/.exec(links[0] ?? '')?.[1]
  if (token !== undefined) links.push(`pi_3${token}`, `cus_${token.slice(0, 14)}`, `txn_3${token}`)
  const due = details?.due_by
  const runs = isWaiting(dispute) && typeof due === 'number' && due > 0 && details.past_due === false
  return {
    reference: typeof dispute.id === 'string' ? dispute.id : null,
    word: typeof dispute.status === 'string' ? dispute.status : 'unknown',
    createdAt: typeof dispute.created === 'number' ? dispute.created : null,
    deadline: runs ? due : null,
    links: [...new Set(links)],
  }
}

/** A missed deadline: the dispute is lost, Smart Disputes submits if enabled, or an inquiry ends. */
export function expireDispute(object: JsonObject): void {
  const dispute = asDispute(object)
  const { evidence_details: details } = dispute
  const automatic = ['smart_disputes', 'prefer_smart_disputes'].includes(dispute.intended_submission_method ?? '')
  if (automatic && !details.has_evidence && dispute.status === 'needs_response') {
    markSubmitted(dispute, 'smart_disputes')
    return
  }
  details.past_due = true
  dispute.status = dispute.status === 'warning_needs_response' ? 'warning_closed' : 'lost'
}

export function markSubmitted(dispute: Stripe.Dispute, method: 'manual' | 'smart_disputes'): void {
  dispute.evidence_details.has_evidence = true
  dispute.evidence_details.submission_count += 1
  dispute.evidence_details.submission_method = method
  dispute.status = dispute.status.replace('needs_response', 'under_review')
}

/** The merchant accepts: lost, in every stage. */
export function closeDispute(dispute: Stripe.Dispute): void {
  dispute.status = 'lost'
  dispute.is_charge_refundable = false
}

/**
 * The bank decides. Stripe knows no partial outcome: `split` is a win of which half comes back. `reopened` turns an
 * inquiry into a chargeback on the same id, and a decided dispute into one that can be appealed.
 */
export function decideDispute(object: JsonObject, outcome: Outcome, at: number): string | null {
  const dispute = asDispute(object)
  const inquiry = dispute.status.startsWith('warning_')
  if (dispute.status === 'prevented') return 'a prevented dispute is final: nobody decides it any more'
  if (outcome === 'reopened') return reopen(dispute, inquiry, at)
  if (inquiry) {
    dispute.status = outcome === 'lost' ? 'lost' : 'warning_closed'
    return null
  }
  const before = dispute.status
  dispute.status = outcome === 'lost' ? 'lost' : 'won'
  dispute.is_charge_refundable = false
  if (dispute.status === 'won' && before !== 'won') {
    const amount = outcome === 'split' ? Math.ceil(dispute.amount / 2) : dispute.amount
    dispute.balance_transactions.push(disputeTransaction({ ...dispute, amount }, 'reinstatement', at))
  }
  return null
}

function reopen(dispute: Stripe.Dispute, inquiry: boolean, at: number): null {
  const details = dispute.evidence_details
  details.due_by = at + REOPENED_FOR
  details.past_due = false
  if (inquiry) {
    dispute.status = 'needs_response'
    dispute.is_charge_refundable = false
    const card = dispute.payment_method_details?.card
    if (card) card.case_type = 'chargeback'
    dispute.balance_transactions.push(disputeTransaction(dispute, 'withdrawal', at))
    return null
  }
  dispute.status = 'appeal_needs_response'
  dispute.evidence.appeal = { card: {} }
  return null
}

export function setStatus(object: JsonObject, word: string): void {
  object.status = word
}

export function setDeadline(object: JsonObject, dueAt: number | null): void {
  const details = asDispute(object).evidence_details
  details.due_by = dueAt
  details.past_due = false
}

export function setAmount(object: JsonObject, amount: number, currency: string): void {
  object.amount = amount
  object.currency = currency.toLowerCase()
}

import type { DisputePlan, Json, JsonObject } from '../engine/contract.ts'
import { drawFrom, tokenOf } from '../engine/draw.ts'
import { relink } from './links.ts'
import { money, movement } from './money.ts'
import { personOf } from './people.ts'
import { reasonOf, situationOf, WORDS } from './situations.ts'
import { iso, millisecondsOf, plannedUpdate } from './time.ts'

/** Ids of a plan's payment: as the seller sees it (the capture), as the buyer sees it, and its order. */
export function paymentIds(token: string): { capture: string; buyer: string; order: string } {
  const id = (what: string): string => tokenOf(17, token, what).toUpperCase()
  return { capture: id('capture'), buyer: id('buyer'), order: id('order') }
}

/** A dispute's detail; deterministic for its plan. */
export function buildDispute(plan: DisputePlan): JsonObject {
  const situation = situationOf(plan)
  const word = WORDS[situation.word] ?? { status: situation.word, state: situation.word }
  const [stage = '', channel = '', special] = situation.variant.split(' ')
  const reason = reasonOf(plan)
  const updatedAt = iso(plannedUpdate(plan), millisecondsOf(plan.token))
  const dispute: JsonObject = {
    dispute_id: plan.reference,
    create_time: iso(plan.createdAt),
    update_time: updatedAt,
    disputed_transactions: [transaction(plan)],
    reason: reason.word,
    status: word.status,
    ...(word.state !== undefined && { dispute_state: word.state }),
    dispute_amount: money(plan.amount, plan.currency),
    ...(stage !== '' && { dispute_life_cycle_stage: stage, dispute_channel: channel }),
    refund_details: { allowed_refund_amount: money(plan.amount, plan.currency) },
    ...(reason.code !== null && { external_reason_code: reason.code }),
  }
  if (situation.open && plan.dueAt !== null) dispute.seller_response_due_date = iso(plan.dueAt)
  if (word.status === 'WAITING_FOR_SELLER_RESPONSE') dispute.evidences = [request(reason.word, iso(plan.createdAt))]
  if (word.outcome !== undefined) Object.assign(dispute, ended(plan, word.outcome, special === 'split', updatedAt))
  const extras: Readonly<Record<string, string>> = { supporting: 'provide-supporting-info', appeal: 'appeal' }
  const extra = extras[special ?? '']
  relink(dispute, extra === undefined ? [] : [extra])
  return dispute
}

function transaction(plan: DisputePlan): JsonObject {
  const { capture, buyer } = paymentIds(plan.token)
  const draw = drawFrom(`${plan.token} transaction`)
  const person = personOf(plan.token)
  return {
    buyer_transaction_id: buyer,
    seller_transaction_id: capture,
    create_time: iso(plan.chargedAt),
    transaction_status: 'COMPLETED',
    gross_amount: money(plan.chargeAmount, plan.currency),
    ...(draw.chance(40) && { invoice_number: `INV-${draw.digits(8)}` }),
    buyer: { name: person.name, payer_id: person.payerId },
    seller: { email: `shop-${plan.account.toLowerCase()}@example.com`, merchant_id: plan.account, name: 'Demo Shop' },
    ...(draw.chance(30) && { items: [{ item_id: `ITEM${draw.digits(6)}`, item_quantity: '1' }] }),
  }
}

/** PayPal's request to the seller. */
export function request(reason: string, date: string): JsonObject {
  const received = reason === 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED'
  return {
    evidence_type: received ? 'PROOF_OF_FULFILLMENT' : 'OTHER',
    source: 'REQUESTED_FROM_SELLER',
    date,
    action_info: { action: 'PROVIDE_EVIDENCE', mandatory: true },
  }
}

function ended(plan: DisputePlan, outcome: string, split: boolean, at: string): JsonObject {
  const forBuyer = outcome === 'RESOLVED_BUYER_FAVOUR' || outcome === 'ACCEPTED'
  const refunded = money(split ? Math.ceil(plan.amount / 2) : plan.amount, plan.currency)
  return {
    dispute_outcome: { outcome_code: outcome, ...(forBuyer && { amount_refunded: refunded }) },
    ...(forBuyer && { money_movements: [movement('DEBIT', 'DISPUTE_SETTLEMENT', refunded, at)] as Json }),
  }
}

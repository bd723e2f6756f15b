import type { Json, JsonObject, Outcome, Reading } from '../engine/contract.ts'
import { request } from './dispute.ts'
import { relink, relsOf } from './links.ts'
import { money, movement } from './money.ts'
import { WORDS } from './situations.ts'
import { iso, millisecondsOf, secondsOf } from './time.ts'

/** Extension of the due date when PayPal asks again, in seconds. */
const ASKED_AGAIN_FOR = 10 * 86_400

/** Reads any added object, however malformed, without throwing. */
export function readDispute(object: JsonObject): Reading {
  if (typeof object !== 'object' || object === null) {
    return { reference: null, word: 'unknown', createdAt: null, deadline: null, links: [] }
  }
  const waits = object.status === 'WAITING_FOR_SELLER_RESPONSE' || object.status === 'OPEN'
  const [first] = Array.isArray(object.disputed_transactions) ? object.disputed_transactions : []
  const { seller_transaction_id: seller, buyer_transaction_id: buyer } = (first ?? {}) as JsonObject
  return {
    reference: typeof object.dispute_id === 'string' ? object.dispute_id : null,
    word: wordOf(object),
    createdAt: secondsOf(object.create_time),
    deadline: waits ? secondsOf(object.seller_response_due_date) : null,
    links: [seller, buyer].filter((id) => typeof id === 'string'),
  }
}

export function outcomeOf(object: JsonObject): string | null {
  const code = (object.dispute_outcome as JsonObject | undefined)?.outcome_code
  return typeof code === 'string' ? code.replace(/FAVOR$/, 'FAVOUR') : null
}

function wordOf(object: JsonObject): string {
  if (object.dispute_state === 'APPEALABLE') return 'APPEALABLE'
  if (object.status === 'RESOLVED') return outcomeOf(object) ?? 'RESOLVED'
  return typeof object.status === 'string' ? object.status : 'unknown'
}

/** A word of PayPal's, or any other that it might invent. */
export function setStatus(object: JsonObject, word: string): void {
  const known = WORDS[word] ?? { status: word, state: word }
  object.status = known.status
  if (known.state === undefined) delete object.dispute_state
  else object.dispute_state = known.state
  if (known.outcome === undefined) delete object.dispute_outcome
  else object.dispute_outcome = { outcome_code: known.outcome }
  relink(object, kept(object))
}

/** Supporting information is welcome until PayPal decided, an appeal until it was made. */
function kept(object: JsonObject): string[] {
  const rels = relsOf(object)
  const supporting = rels.includes('provide_supporting_info') && object.status === 'UNDER_REVIEW'
  if (supporting) return ['provide-supporting-info']
  return object.dispute_state === 'APPEALABLE' ? ['appeal'] : []
}

export function setDeadline(object: JsonObject, dueAt: number | null): void {
  if (dueAt === null) delete object.seller_response_due_date
  else object.seller_response_due_date = iso(dueAt)
  relink(object, kept(object))
}

export function setAmount(object: JsonObject, amount: number, currency: string): void {
  object.dispute_amount = money(amount, currency)
}

/** The seller did not answer: the buyer wins. */
export function expireDispute(object: JsonObject, at: number): void {
  resolve(object, 'RESOLVED_BUYER_FAVOUR', object.dispute_amount as JsonObject, at)
}

/** Closes a dispute; the seller's payment is refunded to the buyer. */
export function resolve(object: JsonObject, outcome: string, refunded: JsonObject | null, at: number): void {
  setStatus(object, outcome)
  delete object.seller_response_due_date
  object.dispute_outcome = { outcome_code: outcome, ...(refunded && { amount_refunded: refunded }) }
  if (refunded) {
    const movements = Array.isArray(object.money_movements) ? object.money_movements : []
    object.money_movements = [...movements, movement('DEBIT', 'DISPUTE_SETTLEMENT', refunded, iso(at))]
  }
  relink(object)
}

/** PayPal or the card network decides. `reopened` comes back under the same id, in an external case or asking again. */
export function decideDispute(object: JsonObject, outcome: Outcome, at: number): string | null {
  if (outcome === 'reopened') return reopen(object, at)
  if (outcome === 'won') resolve(object, 'RESOLVED_SELLER_FAVOUR', null, at)
  else resolve(object, 'RESOLVED_BUYER_FAVOUR', refundOf(object, outcome === 'split'), at)
  adjudicated(object, outcome === 'won' ? 'DENY_BUYER' : 'PAYOUT_TO_BUYER', at)
  return null
}

/**
 * The seller accepts, through the API or in the dashboard. That PayPal reports it in its adjudication is _unverified_.
 */
export function concede(object: JsonObject, at: number): void {
  resolve(object, 'RESOLVED_BUYER_FAVOUR', object.dispute_amount as JsonObject, at)
  adjudicated(object, 'PAYOUT_TO_BUYER', at, 'SELLER_AGREED_REFUND_WITHOUT_RETURN')
}

/** PayPal gives a reason for some adjudications. */
function adjudicated(object: JsonObject, type: string, at: number, reason?: string): void {
  const adjudications = Array.isArray(object.adjudications) ? object.adjudications : []
  const stage = object.dispute_life_cycle_stage ?? 'CHARGEBACK'
  const entry = { type, adjudication_time: iso(at), dispute_life_cycle_stage: stage, ...(reason && { reason }) }
  object.adjudications = [...adjudications, entry]
}

function refundOf(object: JsonObject, half: boolean): JsonObject {
  const amount = object.dispute_amount as JsonObject
  if (!half) return amount
  const [whole = '0', fraction = ''] = String(amount.value).split('.')
  const units = Math.ceil(Number(whole + fraction) / 2)
  return money(units, String(amount.currency_code))
}

function reopen(object: JsonObject, at: number): null {
  // After an internal case the buyer's bank may bring an external one, of the same dispute.
  if (object.status === 'RESOLVED' && object.dispute_channel === 'INTERNAL') {
    object.dispute_channel = 'EXTERNAL'
    object.dispute_life_cycle_stage = 'CHARGEBACK'
  }
  setStatus(object, 'WAITING_FOR_SELLER_RESPONSE')
  const evidences = Array.isArray(object.evidences) ? object.evidences : []
  object.evidences = [...evidences, request(String(object.reason), iso(at))] as Json
  setDeadline(object, at + ASKED_AGAIN_FOR)
  return null
}

/** Every change moves `update_time`, unless the change was about it. */
export function touch(before: JsonObject, after: JsonObject, at: number): void {
  if (typeof after !== 'object' || after === null || typeof before !== 'object' || before === null) return
  if (after.update_time !== before.update_time || JSON.stringify(before) === JSON.stringify(after)) return
  const earlier = typeof before.update_time === 'string' ? Date.parse(before.update_time) : 0
  const stamp = at * 1000 + millisecondsOf(JSON.stringify(after))
  // Two changes within a second keep their order.
  after.update_time = new Date(Math.max(stamp, Number.isNaN(earlier) ? 0 : earlier + 1)).toISOString()
}

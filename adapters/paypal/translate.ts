import type { FurtherAnswer, PspStatus } from '../../domain/chargeback.ts'
import type { RawObject, Translation } from '../contract.ts'
import { at, firstText, objectIn, requiredText, textAt, translated, Unmappable } from '../shared/facts.ts'
import { asRecord } from '../shared/raw-json.ts'
import { routeOf } from './evidence-limits.ts'
import { instantAt, type Money, minorAt, moneyAt } from './facts.ts'
import { actionsOf } from './links.ts'
import { settlementStatus } from './settlement.ts'
import { isKnownReason, lifecycleStageOf, outcomeCode, outcomeStatus, STATES, STATUSES } from './vocabulary.ts'

/** Increment when any result of `toChargeback` changes; stored disputes are then translated again. */
export const TRANSLATION_VERSION = 2

/**
 * Translates a dispute's detail. Pure. Absent fields and unknown values are tolerated; an invalid amount, currency,
 * time or id makes the object unmappable, with the reason.
 */
export function toChargeback(raw: RawObject): Translation {
  return translated(raw, () => translate(objectIn(raw)))
}

/** The first of up to a thousand transactions; the others stay in the raw object. */
const FIRST = 'disputed_transactions.0'

function translate(dispute: Record<string, unknown>): Translation {
  if (at(dispute, 'unreadable') === true) throw new Unmappable('PayPal lists the dispute and fails to show it')
  const chargebackId = requiredText(dispute, 'dispute_id')
  const postingDate = instantAt(dispute, 'create_time')
  if (postingDate === null) throw new Unmappable('create_time is missing')
  const status = requiredText(dispute, 'status')
  const money = disputedMoney(dispute)
  const updatedAt = instantAt(dispute, 'update_time')
  const stage = textAt(dispute, 'dispute_life_cycle_stage')
  const channel = textAt(dispute, 'dispute_channel')
  const pspStatus = statusOf(dispute, status, money)
  const lifecycleStage = lifecycleStageOf(stage, channel)
  const reason = textAt(dispute, 'reason')
  return {
    kind: 'chargeback',
    anomalies: anomaliesOf(dispute, { status, pspStatus, lifecycleStage, stage, reason }),
    facts: {
      chargebackId,
      psp: 'paypal',
      ...money,
      postingDate,
      transactionCreatedDate: instantAt(dispute, `${FIRST}.create_time`),
      // Absent when the seller need not act.
      dueDate: instantAt(dispute, 'seller_response_due_date'),
      pspStatus,
      furtherAnswer: furtherAnswerOf(dispute, pspStatus),
      // Changes with every update, because PayPal has no time of the status alone.
      pspStatusChangeDate: updatedAt,
      lifecycleStage,
      transactionId: textAt(dispute, `${FIRST}.seller_transaction_id`),
      arn: null,
      externalTransactionIdentifier: firstText(
        dispute,
        ['invoice_number', 'custom', 'reference_id', 'buyer_transaction_id'].map((name) => `${FIRST}.${name}`),
        2000,
      ),
      merchantReferenceName: textAt(dispute, `${FIRST}.seller.merchant_id`),
      // The card scheme's code, only in card cases.
      reasonCode: firstText(dispute, ['external_reason_code', 'reason']),
      reason,
      // Only the order has the payment method, not the dispute.
      cardScheme: null,
      paymentMethod: null,
      bin: null,
      cardLastFourDigits: null,
      billingCountry: null,
      pspSequence: updatedAt === null ? null : BigInt(Date.parse(updatedAt)),
    },
  }
}

function disputedMoney(dispute: unknown): Money {
  if (asRecord(at(dispute, 'dispute_amount'))) return moneyAt(dispute, 'dispute_amount')
  if (asRecord(at(dispute, 'dispute_asset'))) {
    throw new Unmappable('the disputed amount is a crypto asset, which has no ISO currency')
  }
  throw new Unmappable('dispute_amount is missing')
}

/** The outcome first, then the seller's view of the state, then the status. */
function statusOf(dispute: unknown, status: string, money: Money): PspStatus {
  const state = textAt(dispute, 'dispute_state')
  if (status === 'RESOLVED' || state === 'RESOLVED') return resolvedStatus(dispute, money)
  const said = STATES.get(state ?? '') ?? STATUSES.get(status) ?? 'unknown'
  if (said !== 'inquiry') return said
  // The docs disagree whether the seller has to answer an open inquiry; links and due date are reliable.
  const due = textAt(dispute, 'seller_response_due_date') !== null
  return due || actionsOf(dispute).size > 0 ? 'needs_response' : 'under_review'
}

/** By its link, as for evidence: PayPal offers an appeal of its decision, and accepts information during a review. */
function furtherAnswerOf(dispute: unknown, pspStatus: PspStatus): FurtherAnswer | null {
  if (pspStatus === 'needs_response') return null
  const route = routeOf(dispute)
  return route === 'appeal' ? 'appeal' : route === 'provide-supporting-info' ? 'supporting_info' : null
}

function resolvedStatus(dispute: unknown, money: Money): PspStatus {
  const code = textAt(dispute, 'dispute_outcome.outcome_code')
  if (code === null) {
    const outcome = textAt(dispute, 'outcome')
    return outcome === 'WON' ? 'won' : outcome === 'LOST' ? 'lost' : 'unknown'
  }
  const named = outcomeCode(code)
  if (named === 'RESOLVED_WITH_PAYOUT') return settlementStatus(dispute, money)
  if (named === 'RESOLVED_BUYER_FAVOUR') {
    const refunded = minorAt(dispute, 'dispute_outcome.amount_refunded', money.currency)
    return refunded !== null && refunded > 0n && refunded < money.amountMinor ? 'split' : 'lost'
  }
  return outcomeStatus(code)
}

function anomaliesOf(
  dispute: unknown,
  read: { status: string; pspStatus: PspStatus; lifecycleStage: string; stage: string | null; reason: string | null },
): string[] {
  const state = textAt(dispute, 'dispute_state')
  const code = textAt(dispute, 'dispute_outcome.outcome_code')
  const transactions = at(dispute, 'disputed_transactions')
  const count = Array.isArray(transactions) ? transactions.length : 0
  const found = [
    !STATUSES.has(read.status) && read.status !== 'RESOLVED' && `unknown status ${read.status}`,
    state !== null && !STATES.has(state) && state !== 'RESOLVED' && `unknown dispute_state ${state}`,
    code !== null && outcomeStatus(code) === 'unknown' && `unknown outcome_code ${code}`,
    read.status === 'RESOLVED' && read.pspStatus === 'unknown' && code === null && 'resolved without an outcome',
    read.lifecycleStage === 'other' && `unknown dispute_life_cycle_stage ${read.stage ?? '(none)'}`,
    read.reason !== null && !isKnownReason(read.reason) && `unknown reason ${read.reason}`,
    count === 0 && 'disputed_transactions is missing',
    count > 1 && `the first of ${count} transactions is shown`,
  ]
  return found.filter((anomaly) => anomaly !== false)
}

import { DAY_MARGIN_HOURS } from '../../adapters/braintree/days.ts'
import { currencyExponent } from '../../domain/money.ts'
import type { DisputePlan, Json, JsonObject } from '../engine/contract.ts'
import { drawFrom, tokenOf } from '../engine/draw.ts'
import { cardType, reasonOf, situationOf, wireCode } from './situations.ts'

/** Bytes of evidence that a new dispute takes. */
export const STORAGE = 7_340_032

/** A dispute in the SDK's keys, from its plan. Deterministic. */
export function buildDispute(plan: DisputePlan): JsonObject {
  const { variant, word } = situationOf(plan)
  const reason = reasonOf(plan)
  const draw = drawFrom(`${plan.token} dispute`)
  // Braintree shows a dispute up to two days after it was received.
  const received = plan.createdAt - draw.between(0, 2) * 86_400
  const history = historyOf(plan, received)
  const changed = history.at(-1)?.timestamp ?? instant(plan.createdAt)
  // A request for information moves no money; a partial amount is always about money.
  const free = variant === 'information' && plan.amount === plan.chargeAmount
  const disputed = free ? '0.00' : decimal(plan.amount, plan.currency)
  return {
    id: plan.reference,
    globalId: Buffer.from(`dispute_${plan.reference}`).toString('base64url'),
    amount: disputed,
    amountDisputed: disputed,
    amountWon: wonOf(plan, variant, word),
    currencyIsoCode: plan.currency,
    kind: kindOf(variant),
    status: word,
    reason: reason.word,
    reasonCode: wireCode(reason),
    reasonDescription: null,
    caseNumber: `CB${draw.digits(9)}`,
    referenceNumber: draw.digits(12),
    originalDisputeId: variant === 'pre_arbitration' ? tokenOf(16, plan.token, 'original').toLowerCase() : null,
    processorComments: null,
    chargebackProtectionLevel: draw.one(['not_protected', 'not_protected', 'standard', 'effortless']),
    preDisputeProgram: variant === 'rdr' ? 'visa_rdr' : 'none',
    merchantAccountId: merchantAccountOf(plan.currency),
    receivedDate: day(received),
    replyByDate: plan.dueAt === null ? null : replyByDay(plan.dueAt),
    dateOpened: day(received),
    dateWon: word === 'won' ? day(plan.endedAt) : null,
    createdAt: instant(plan.createdAt),
    updatedAt: changed,
    remainingFileEvidenceStorage: STORAGE,
    paypalMessages: variant === 'alternative' ? [message(plan)] : [],
    evidence: evidenceOf(plan, variant, word),
    statusHistory: history,
    transaction: {
      id: transactionIdOf(plan),
      amount: decimal(plan.chargeAmount, plan.currency),
      createdAt: instant(plan.chargedAt),
      orderId: draw.chance(80) ? `order-${draw.digits(8)}` : null,
      purchaseOrderNumber: null,
      installmentCount: null,
      paymentInstrumentSubtype: variant === 'alternative' ? 'PayPal' : cardType(reason),
    },
  }
}

/** Each currency settles to a separate account, as at Braintree. */
export function merchantAccountOf(currency: string): string {
  return `ma_${currency.toLowerCase()}`
}

export function transactionIdOf(plan: DisputePlan): string {
  return tokenOf(8, plan.token, 'transaction').toLowerCase()
}

export function day(seconds: number): string {
  return instant(seconds).slice(0, 10)
}

/**
 * The last day that has ended in all of Braintree's time zones: a dispute that is due at an instant ends with it at the
 * latest.
 */
export function replyByDay(dueAt: number): string {
  return day(dueAt - DAY_MARGIN_HOURS * 3600)
}

/** Without a fraction of a second, which the SDK for Java rejects. */
export function instant(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`
}

/** Minor units as a decimal with the currency's digits: 120 JPY is "120", 120 KWD "0.120". */
export function decimal(minor: number, currency: string): string {
  const exponent = currencyExponent(currency) ?? 2
  if (exponent === 0) return String(minor)
  const digits = String(minor).padStart(exponent + 1, '0')
  return `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`
}

function kindOf(variant: string): string {
  if (variant === 'pre_arbitration') return 'pre_arbitration'
  return variant === 'retrieval' || variant === 'information' ? 'retrieval' : 'chargeback'
}

function wonOf(plan: DisputePlan, variant: string, word: string): string {
  if (word !== 'won') return decimal(0, plan.currency)
  return decimal(variant === 'partial' ? Math.max(1, Math.floor(plan.amount / 2)) : plan.amount, plan.currency)
}

export interface HistoryEntry extends JsonObject {
  status: string
  effectiveDate: string
  disbursementDate: string | null
  timestamp: string
}

export function historyEntry(status: string, at: number, disbursed: boolean): HistoryEntry {
  return { status, effectiveDate: day(at), disbursementDate: disbursed ? day(at) : null, timestamp: instant(at) }
}

/** Newest last. A dispute decided after an answer went through `disputed`. */
function historyOf(plan: DisputePlan, received: number): HistoryEntry[] {
  const { word } = situationOf(plan)
  const first = { ...historyEntry('open', plan.createdAt, true), effectiveDate: day(received) }
  if (word === 'open') return [first]
  const between = Math.floor((plan.createdAt + plan.endedAt) / 2)
  const answered = word === 'won' || word === 'lost' ? [historyEntry('disputed', between, false)] : []
  return [first, ...answered, historyEntry(word, plan.endedAt, word === 'won')]
}

function evidenceOf(plan: DisputePlan, variant: string, word: string): Json[] {
  const answered = ['disputed', 'won', 'lost'].includes(word)
  if (!answered && variant !== 'staged') return []
  const at = Math.floor((plan.createdAt + plan.endedAt) / 2)
  return [
    {
      id: tokenOf(16, plan.token, 'evidence').toLowerCase(),
      category: 'GENERAL',
      comment: 'The customer received and used the product.',
      url: null,
      createdAt: instant(at),
      sentToProcessorAt: answered ? day(at) : null,
      sequenceNumber: null,
    },
  ]
}

function message(plan: DisputePlan): JsonObject {
  return { message: 'The item never arrived.', sender: 'buyer', sentAt: instant(plan.createdAt) }
}

import { DAY_MARGIN_HOURS } from '../../adapters/braintree/days.ts'
import type { JsonObject, Outcome, Reading } from '../engine/contract.ts'
import { day, decimal, historyEntry, instant, replyByDay } from './dispute.ts'

/** Extension of the due date when a dispute is reopened, in seconds. */
const REOPENED_FOR = 10 * 86_400

/** Reads any added object, however malformed, without throwing. */
export function readDispute(object: JsonObject): Reading {
  if (typeof object !== 'object' || object === null) {
    return { reference: null, word: 'unknown', createdAt: null, deadline: null, links: [] }
  }
  const { id, status, createdAt, receivedDate, replyByDate } = object
  const transaction = (object.transaction as JsonObject | null)?.id
  return {
    reference: typeof id === 'string' ? id : null,
    word: typeof status === 'string' ? status : 'unknown',
    createdAt: secondsOf(createdAt) ?? secondsOf(receivedDate),
    deadline: status === 'open' ? endOf(replyByDate) : null,
    links: typeof transaction === 'string' ? [transaction] : [],
  }
}

export function secondsOf(value: unknown): number | null {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? null : Math.floor(time / 1000)
}

/** Braintree accepts the dispute at the end of the reply-by day in the last time zone. */
function endOf(replyByDate: unknown): number | null {
  const from = secondsOf(replyByDate)
  return from === null ? null : from + DAY_MARGIN_HOURS * 3600
}

/** Every change of status adds a history entry and a later `updatedAt`. */
export function move(dispute: JsonObject, status: string, at: number): void {
  const history = Array.isArray(dispute.statusHistory) ? dispute.statusHistory : []
  dispute.statusHistory = [...history, historyEntry(status, at, status === 'won')]
  dispute.status = status
  dispute.updatedAt = instant(at)
}

/** Nobody answered: Braintree accepts the dispute. Unfinalized evidence stays. */
export function expireDispute(dispute: JsonObject, at: number): void {
  const staged = Array.isArray(dispute.evidence) && dispute.evidence.length > 0
  move(dispute, staged || dispute.kind === 'retrieval' ? 'expired' : 'auto_accepted', at)
}

export function acceptDispute(dispute: JsonObject, at: number): void {
  move(dispute, 'accepted', at)
}

/** Submits everything attached to the processor. */
export function finalizeDispute(dispute: JsonObject, at: number): void {
  const evidence = Array.isArray(dispute.evidence) ? dispute.evidence : []
  dispute.evidence = evidence.map((entry) => {
    const { sentToProcessorAt, ...rest } = entry as JsonObject
    return { ...rest, sentToProcessorAt: sentToProcessorAt ?? day(at) }
  })
  move(dispute, 'disputed', at)
}

/** `reopened` returns a decided dispute to the merchant; the next stage of a case is a separate dispute. */
export function decideDispute(dispute: JsonObject, outcome: Outcome, at: number): string | null {
  if (dispute.preDisputeProgram === 'visa_rdr') return 'what Visa RDR refunded is final: nobody decides it any more'
  if (outcome === 'reopened') {
    dispute.replyByDate = replyByDay(at + REOPENED_FOR)
    dispute.dateWon = null
    dispute.amountWon = '0.00'
    move(dispute, 'open', at)
    return null
  }
  if (outcome === 'lost') {
    move(dispute, 'lost', at)
    return null
  }
  const disputed = String(dispute.amountDisputed)
  const currency = String(dispute.currencyIsoCode)
  const half = decimal(Math.max(1, Math.floor(Number(disputed.replace('.', '')) / 2)), currency)
  dispute.amountWon = outcome === 'split' ? half : disputed
  dispute.dateWon = day(at)
  move(dispute, 'won', at)
  return null
}

export function setStatus(dispute: JsonObject, word: string): void {
  dispute.status = word
}

export function setDeadline(dispute: JsonObject, dueAt: number | null): void {
  dispute.replyByDate = dueAt === null ? null : replyByDay(dueAt)
}

export function setAmount(dispute: JsonObject, amount: number, currency: string): void {
  const text = decimal(amount, currency)
  Object.assign(dispute, { amount: text, amountDisputed: text, currencyIsoCode: currency })
}

import type { LifecycleStage, PspStatus } from '../../../domain/chargeback.ts'
import { isDisputeEvent, rankOf } from '../vocabulary.ts'
import type { Item } from './items.ts'
import { applyRules } from './rules.ts'

/** The state of a dispute, reduced from all its notifications. */
export interface Projection {
  pspStatus: PspStatus
  lifecycleStage: LifecycleStage
  /** When this stage began; ISO 8601 UTC. */
  stageSince: string | null
  /** Final: only a higher stage can change it. */
  final: boolean
  /** ISO 8601 UTC. */
  dueDate: string | null
  /** Date of the newest event with a status. */
  changedAt: string | null
  /** Events that confirm that a defence was sent to the issuer. */
  suppliedCount: number
  autoDefended: boolean
  /** Adyen reported the dispute as accepted, in any stage. */
  accepted: boolean
  /** The same for the current stage. */
  acceptedNow: boolean
  anomalies: string[]
}

const LADDER: readonly LifecycleStage[] = [
  'alert',
  'inquiry',
  'claim',
  'chargeback',
  'second_chargeback',
  'third_chargeback',
]
const OPENING = new Set([
  'NOTIFICATION_OF_CHARGEBACK',
  'CHARGEBACK',
  'DISPUTE_OPENED_WITH_CHARGEBACK',
  'REQUEST_FOR_INFORMATION',
])
const CLOSING: readonly PspStatus[] = ['under_review', 'won', 'lost', 'not_applicable', 'evidence_not_submitted_by_psp']

/** Orders a dispute's events by event date, not by arrival. The text breaks ties. */
export function inOrder<T extends { item: Item; text: string }>(entries: readonly T[]): T[] {
  return entries.toSorted(
    (a, b) =>
      Date.parse(a.item.eventDate) - Date.parse(b.item.eventDate) ||
      rankOf(a.item.eventCode) - rankOf(b.item.eventCode) ||
      (a.text < b.text ? -1 : a.text > b.text ? 1 : 0),
  )
}

/**
 * Reduces a dispute's events to its state, because Adyen has no dispute object. `items` must be in order; payment
 * events are skipped. `defenses`: times at which Adyen accepted a defence from Recoup; only those of the current stage
 * count.
 */
export function reduceEvents(items: readonly Item[], defenses: readonly string[]): Projection {
  const state: Projection = {
    pspStatus: 'unknown',
    lifecycleStage: 'other',
    stageSince: null,
    final: false,
    dueDate: null,
    changedAt: null,
    suppliedCount: 0,
    autoDefended: false,
    accepted: false,
    acceptedNow: false,
    anomalies: [],
  }
  const heard = new Set<string>()
  let toldBy = ''
  for (const item of items) {
    if (isPaymentEvent(item.eventCode)) continue
    const asksAnew = !state.final && OPENING.has(toldBy) && requestsAnswer(item) && !heard.has(item.eventCode)
    heard.add(item.eventCode)
    const verdict = applyRules(item, state, defenses.some(within(state)))
    if (verdict.anomaly !== null) state.anomalies.push(verdict.anomaly)
    if (item.eventCode === 'INFORMATION_SUPPLIED') state.suppliedCount++
    state.autoDefended ||= item.additional.autoDefended === 'true'
    const accepted = item.disputeStatus === 'Accepted' || item.eventCode === 'PREARBITRATION_ACCEPTED'
    state.accepted ||= accepted
    if (verdict.status !== 'unchanged' && (state.changedAt ?? '') < item.eventDate) state.changedAt = item.eventDate
    const stage = verdict.stage === 'keep' ? stageSoFar(state, item) : verdict.stage
    const climbed = rank(stage) - rank(state.lifecycleStage)
    if (climbed < 0) continue
    if (climbed > 0)
      Object.assign(state, {
        lifecycleStage: stage,
        ...{ stageSince: item.eventDate, final: false, dueDate: null, acceptedNow: false },
      })
    state.acceptedNow ||= accepted
    if (item.defensePeriodEndsAt !== null) state.dueDate = item.defensePeriodEndsAt
    if (verdict.status === 'unchanged') continue
    if (climbed === 0 && !asksAnew && outranked(state, item, verdict.final)) continue
    Object.assign(state, { pspStatus: verdict.status, final: verdict.final })
    toldBy = item.eventCode
  }
  return state
}

/** Whether a time falls into the current stage; writes of an earlier stage do not count. */
export function within({ stageSince }: Pick<Projection, 'stageSince'>): (at: string) => boolean {
  return (at) => stageSince === null || at >= stageSince
}

/** A final status wins over others, whatever the dates; a debit after a defence does not reopen the dispute. */
function outranked(state: Projection, item: Item, final: boolean): boolean {
  if (final) return false
  return state.final || (OPENING.has(item.eventCode) && CLOSING.includes(state.pspStatus) && !answered(item))
}

/**
 * Whether an opening event requests an answer by its content, not by its code alone. It reopens a dispute that only an
 * opening event had closed (Adyen defended it, or marked it not defendable), unless it repeats that event under another
 * date.
 */
function requestsAnswer({ eventCode, disputeStatus, defensePeriodEndsAt, additional }: Item): boolean {
  if (!OPENING.has(eventCode) || additional.autoDefended === 'true' || additional.defendable === 'false') return false
  if (disputeStatus !== null) return disputeStatus === 'Undefended' || disputeStatus === 'Unresponded'
  return additional.defendable === 'true' || defensePeriodEndsAt !== null
}

/** An opening event that reports the dispute as already answered. */
function answered(item: Item): boolean {
  return item.disputeStatus === 'Responded' || item.disputeStatus === 'Pending'
}

/** A stage-preserving event before any event with a stage: take the stage from its reason code. */
function stageSoFar({ lifecycleStage }: Projection, { eventCode, additional }: Item): LifecycleStage {
  if (lifecycleStage !== 'other' || !isDisputeEvent(eventCode)) return lifecycleStage
  return additional.rfiReasonCode !== undefined ? 'inquiry' : 'chargeback'
}

function rank(stage: LifecycleStage): number {
  return LADDER.indexOf(stage)
}

/** Payments, reports and the like. A code that is neither here nor in the dispute events may be a new dispute event. */
const PAYMENT_EVENT =
  /^(AUTH|CAPTURE|REFUND|CANCEL|PAIDOUT|PAYOUT|REPORT_|RECURRING|ORDER_|OFFER_|MANUAL_|EXPIRE|HANDLED_|POSTPONED_|TECHNICAL_|VOID_|AUTORESCUE|ACH_|DIRECT_DEBIT_|DONATION|CUSTOM$|TOKEN)/

export function isPaymentEvent(code: string): boolean {
  return !isDisputeEvent(code) && PAYMENT_EVENT.test(code)
}

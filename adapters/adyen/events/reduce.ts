import type { LifecycleStage, PspStatus } from '../../../domain/chargeback.ts'
import { isDisputeEvent, rankOf } from '../vocabulary.ts'
import type { Item } from './items.ts'
import { judge } from './rules.ts'

/** What all notifications about one dispute say together. */
export interface Projection {
  pspStatus: PspStatus
  lifecycleStage: LifecycleStage
  /** When this stage began; ISO 8601 UTC. */
  stageSince: string | null
  /** Nothing of this stage can change it any more; a higher stage can. */
  final: boolean
  /** ISO 8601 UTC. */
  dueDate: string | null
  /** When the newest event happened that speaks of the status. */
  changedAt: string | null
  /** Events that say "your defence was sent to the issuer". */
  suppliedCount: number
  autoDefended: boolean
  /** Told by Adyen: the dispute was accepted, in whatever stage. */
  accepted: boolean
  /** The same of the present stage. */
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
const SETTLED: readonly PspStatus[] = ['under_review', 'won', 'lost', 'not_applicable', 'evidence_not_submitted_by_psp']

/** Order of a dispute's events by what happened, not by how they arrived. The text makes it total. */
export function inOrder<T extends { item: Item; text: string }>(entries: readonly T[]): T[] {
  return entries.toSorted(
    (a, b) =>
      Date.parse(a.item.eventDate) - Date.parse(b.item.eventDate) ||
      rankOf(a.item.eventCode) - rankOf(b.item.eventCode) ||
      (a.text < b.text ? -1 : a.text > b.text ? 1 : 0),
  )
}

/**
 * Adyen has no dispute object, so this makes one of its events. `items` must be in order; events about payments are
 * passed over. `defenses`: when Adyen took a defence from us; only those of the present stage count.
 */
export function fold(items: readonly Item[], defenses: readonly string[]): Projection {
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
    const asksAnew = !state.final && OPENING.has(toldBy) && asks(item) && !heard.has(item.eventCode)
    heard.add(item.eventCode)
    const verdict = judge(item, state, defenses.some(within(state)))
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

/** Whether a time of ours falls into the present stage: what was sent in an earlier one is over. */
export function within({ stageSince }: Pick<Projection, 'stageSince'>): (at: string) => boolean {
  return (at) => stageSince === null || at >= stageSince
}

/** Final beats non-final whenever it happened; a debit that follows a defence does not open the dispute again. */
function outranked(state: Projection, item: Item, final: boolean): boolean {
  if (final) return false
  return state.final || (OPENING.has(item.eventCode) && SETTLED.includes(state.pspStatus) && !answered(item))
}

/**
 * An opening event that asks for an answer by itself, not by its code alone. What only an opening event had closed (Adyen
 * defended it, or called it not defendable) is open again then, unless it is that event's repetition under another date.
 */
function asks({ eventCode, disputeStatus, defensePeriodEndsAt, additional }: Item): boolean {
  if (!OPENING.has(eventCode) || additional.autoDefended === 'true' || additional.defendable === 'false') return false
  if (disputeStatus !== null) return disputeStatus === 'Undefended' || disputeStatus === 'Unresponded'
  return additional.defendable === 'true' || defensePeriodEndsAt !== null
}

/** An opening event that says by itself that the dispute was answered. */
function answered(item: Item): boolean {
  return item.disputeStatus === 'Responded' || item.disputeStatus === 'Pending'
}

/** An event that keeps the stage, before any that names one: its reason code tells. */
function stageSoFar({ lifecycleStage }: Projection, { eventCode, additional }: Item): LifecycleStage {
  if (lifecycleStage !== 'other' || !isDisputeEvent(eventCode)) return lifecycleStage
  return additional.rfiReasonCode !== undefined ? 'inquiry' : 'chargeback'
}

function rank(stage: LifecycleStage): number {
  return LADDER.indexOf(stage)
}

/** Payments, reports and the like; what is neither one of these nor a known dispute event may be a new dispute event. */
const PAYMENT_EVENT =
  /^(AUTH|CAPTURE|REFUND|CANCEL|PAIDOUT|PAYOUT|REPORT_|RECURRING|ORDER_|OFFER_|MANUAL_|EXPIRE|HANDLED_|POSTPONED_|TECHNICAL_|VOID_|AUTORESCUE|ACH_|DIRECT_DEBIT_|DONATION|CUSTOM$|TOKEN)/

export function isPaymentEvent(code: string): boolean {
  return !isDisputeEvent(code) && PAYMENT_EVENT.test(code)
}

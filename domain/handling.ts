import type { LifecycleStage, PspStatus, Status } from './chargeback.ts'
import { dataWindowClosed, isOverdue } from './deadlines.ts'
import { isHigherStage } from './psp-facts.ts'

/** From its date on, chargebacks posted (or due) on or after that date are no longer handled. */
export interface Deactivation {
  type: 'postingDate' | 'dueDate'
  date: Date
}

export interface HandlingInput {
  now: Date
  /** The stored state; null for a new chargeback. */
  current: {
    status: Status
    statusReason: string
    pspStatus: PspStatus
    lifecycleStage: LifecycleStage
    round: number
  } | null
  pspStatus: PspStatus
  lifecycleStage: LifecycleStage
  dueDate: Date | null
  postingDate: Date | null
  /** 0 to 1. */
  enrichmentRatio: number
  /** The client's explicit decision; null when there is none. */
  shouldFight: boolean | null
  /** Whether an acceptance, or an evidence submission, of the current round succeeded. */
  accepted: boolean
  submitted: boolean
  /** The command in progress: until it is closed, only the PSP's status changes the chargeback. */
  atWork?: 'acceptance' | 'evidence_submission' | null
  /** The matching scope rule, as a sentence; null when none matches. */
  outOfScope: string | null
  live: { goLiveDate: Date | null; waits: boolean }
  /** Deactivation of merchant or integration that takes the chargeback out of handling, if any. */
  deactivation: Deactivation | null
  /** Whether chargebacks are represented by default: the account setting `represent`. */
  represent: boolean
  /** Enrichment ratio from which evidence is built. */
  threshold: number
  /** Hours before the due date at which the data window closes; default 72. */
  dataWindowHours?: number
}

/** Reasons that the clock and a completed acceptance write as well. */
export const HANDLING_REASONS = {
  accepted: 'It was accepted at the PSP.',
  submitted: 'Evidence was submitted.',
  overdue: 'The due date passed.',
  dataWindowClosed: 'The due date is near: evidence is built with the data at hand.',
} as const

export interface Handling {
  status: Status
  /** A short sentence; the same for the same situation. */
  reason: string
  /** Number of answer requests, from 1. Commands belong to a round. */
  round: number
}

/**
 * The status of a chargeback (docs/interface.md#chargeback-status). Pure and repeatable: called after every change of
 * facts, data, rules, dates or commands. Consecutive states of the table (new, waiting for data, building evidence) are
 * passed in one call.
 */
export function decideStatus(input: HandlingInput): Handling {
  const { current } = input
  if (current === null) return { ...decideNew(input), round: 1 }
  // A new answer request starts a new round: earlier acceptances and submissions belong to the previous one.
  if (asksAnew(input, current))
    return { ...decideNew({ ...input, accepted: false, submitted: false }), round: current.round + 1 }
  return { ...decideAgain(input, current), round: current.round }
}

/**
 * A higher stage, or the same one reopened: PayPal requests evidence several times, and reopens decided disputes. An
 * unknown status hides the PSP's previous one, but whether this round was answered is still known.
 */
function asksAnew(input: HandlingInput, current: NonNullable<HandlingInput['current']>): boolean {
  if (input.pspStatus !== 'needs_response') return false
  const answered =
    current.pspStatus === 'unknown'
      ? current.status === 'pending_psp_results' || input.accepted || input.submitted
      : current.pspStatus !== 'needs_response'
  return answered || isHigherStage(current.lifecycleStage, input.lifecycleStage)
}

type Decision = Omit<Handling, 'round'>

function decideNew(input: HandlingInput): Decision {
  const aside = whyAside(input)
  if (aside) return notRepresented(aside)
  if (isWithPsp(input.pspStatus) || isLost(input.pspStatus))
    return { status: 'pending_psp_results', reason: 'It was already under review or decided when first seen.' }
  return whyUnanswerable(input) ?? collect(input)
}

function decideAgain(input: HandlingInput, current: NonNullable<HandlingInput['current']>): Decision {
  const unchanged: Decision = { status: current.status, reason: current.statusReason }
  if (current.status === 'pending_psp_results') return unchanged
  if (input.accepted) return notRepresented(HANDLING_REASONS.accepted)
  // A submission implies the decision to fight: an out-of-scope chargeback is then pending at the PSP too.
  if (input.submitted) return { status: 'pending_psp_results', reason: HANDLING_REASONS.submitted }
  if (current.status === 'not_represented') {
    if (input.atWork || whyUnanswerable(input)) return unchanged
    const aside = whyAside(input)
    return aside ? notRepresented(aside) : collect(input)
  }
  if (isWithPsp(input.pspStatus)) {
    const reason = input.atWork
      ? 'The PSP has an answer, while one of this service is in progress.'
      : 'It was answered at the PSP, not by this service.'
    return { status: 'pending_psp_results', reason }
  }
  const maybeOpen = input.pspStatus === 'needs_response' || input.pspStatus === 'unknown'
  if (input.atWork && maybeOpen) return unchanged
  // Lost, maybe because of Recoup's acceptance: its completion records the reason, once.
  if (input.atWork === 'acceptance' && isLost(input.pspStatus)) return unchanged
  // A status that the adapter does not know yet must not close an open case.
  const unanswerable = whyUnanswerable(
    input.pspStatus === 'unknown' ? { ...input, pspStatus: 'needs_response' } : input,
  )
  if (unanswerable) return unanswerable
  const aside = whyAside(input)
  return aside ? notRepresented(aside) : collect(input)
}

/** The PSP has evidence, or has decided at least partly for the merchant, which requires evidence. */
function isWithPsp(pspStatus: PspStatus): boolean {
  return pspStatus === 'under_review' || pspStatus === 'won' || pspStatus === 'split'
}

function isLost(pspStatus: PspStatus): boolean {
  return pspStatus === 'lost' || pspStatus === 'evidence_not_submitted_by_psp'
}

function notRepresented(reason: string): Decision {
  return { status: 'not_represented', reason }
}

function whyUnanswerable({ pspStatus, dueDate, now }: HandlingInput): Decision | null {
  if (isLost(pspStatus)) return notRepresented('It was lost or accepted at the PSP without an answer.')
  if (pspStatus === 'not_applicable') return notRepresented('The PSP asks for no answer.')
  if (pspStatus !== 'needs_response') return notRepresented('The PSP does not ask for an answer now.')
  return isOverdue(dueDate, now) ? notRepresented(HANDLING_REASONS.overdue) : null
}

/**
 * Why the chargeback is not handled although it could be contested. A missing date counts as today. An explicit
 * should-fight overrides go-live, scope rules and account setting; a deactivation is final.
 */
function whyAside({ now, postingDate, dueDate, shouldFight, ...input }: HandlingInput): string | null {
  const { deactivation, live } = input
  if (deactivation && isDeactivated(deactivation, { now, postingDate, dueDate }))
    return 'The merchant or integration was deactivated.'
  if (shouldFight !== null) return shouldFight ? null : 'The client decided not to fight.'
  if (live.waits) return 'The integration waits for its go-live date.'
  if (live.goLiveDate && (postingDate ?? now) < live.goLiveDate) return 'It was posted before the go-live date.'
  if (input.outOfScope) return input.outOfScope
  return input.represent ? null : 'The contract does not represent chargebacks by default.'
}

/** Whether a deactivation takes a chargeback out of handling now; a missing date counts as today. */
export function isDeactivated(
  deactivation: Deactivation,
  { now, postingDate, dueDate }: { now: Date; postingDate: Date | null; dueDate: Date | null },
): boolean {
  const dated = (deactivation.type === 'postingDate' ? postingDate : dueDate) ?? now
  return now >= deactivation.date && dated >= deactivation.date
}

function collect(input: HandlingInput): Decision {
  const building = (reason: string): Decision => ({ status: 'building_evidence', reason })
  if (input.shouldFight) return building('The client decided to fight.')
  if (input.enrichmentRatio >= input.threshold) return building('The data asked for is complete enough.')
  if (dataWindowClosed(input.dueDate, input.now, input.dataWindowHours))
    return building(HANDLING_REASONS.dataWindowClosed)
  return { status: 'waiting_for_data', reason: 'More data is needed to build evidence.' }
}

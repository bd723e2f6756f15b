import type { LifecycleStage } from '../../domain/chargeback.ts'
import { asRecord } from '../shared/raw-json.ts'

/**
 * The rules of the sandbox PSP, shared by its simulator and by chargebacks that clients posted: an acceptance loses the
 * chargeback, evidence puts it under review, and both leave a mark.
 */

/** A chargeback in the Recoup format. */
export type Shape = Record<string, unknown>

/** The PSP's marks, in the member `sandbox`. */
export interface Marks {
  /** Last change, ISO 8601. */
  updatedAt: string | null
  acceptedAt: string | null
  /** Number of submissions in all rounds. */
  submissions: number
  /** Digest of this round's evidence; null before a submission. */
  evidenceDigest: string | null
}

export const ANSWERABLE_STAGES: readonly LifecycleStage[] = [
  'inquiry',
  'claim',
  'chargeback',
  'second_chargeback',
  'third_chargeback',
]

export function marksOf(chargeback: Shape): Marks {
  const marks = asRecord(chargeback.sandbox) ?? {}
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  return {
    updatedAt: text(marks.updatedAt),
    acceptedAt: text(marks.acceptedAt),
    submissions: Number.isSafeInteger(marks.submissions) ? (marks.submissions as number) : 0,
    evidenceDigest: text(marks.evidenceDigest),
  }
}

/** Changes the marks, and dates the change after the previous one, whatever the clients' clocks say. */
export function mark(chargeback: Shape, at: Date, changes: Partial<Marks>): void {
  const marks = { ...asRecord(chargeback.sandbox), ...marksOf(chargeback), ...changes }
  chargeback.sandbox = { ...marks, updatedAt: behind(marksOf(chargeback).updatedAt, at) }
}

/** Changes the status, and dates the change after the previous one, because an older change is never applied. */
export function moveTo(chargeback: Shape, status: string, at: Date): void {
  if (chargeback.pspStatus !== status) chargeback.pspStatusChangeDate = behind(chargeback.pspStatusChangeDate, at)
  chargeback.pspStatus = status
}

function behind(earlier: unknown, at: Date): string {
  const before = instantOf(earlier)
  return new Date(Number.isNaN(before) ? at.getTime() : Math.max(before + 1, at.getTime())).toISOString()
}

/** Milliseconds; NaN for an invalid date. */
const instantOf = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : Number.NaN)

/**
 * Applies an object that a client posted after `before`, and keeps the marks. Its status date continues from the
 * previous one, because clients use simulated days while Recoup's writes have real dates.
 */
export function follow(before: Shape, posted: Shape, at: Date): void {
  posted.sandbox = marksOf(before)
  const [earlier, later] = [instantOf(before.pspStatusChangeDate), instantOf(posted.pspStatusChangeDate)]
  if (earlier > later) {
    const same = before.pspStatus === posted.pspStatus
    posted.pspStatusChangeDate = same ? before.pspStatusChangeDate : behind(before.pspStatusChangeDate, new Date(later))
  }
  // Posted as open again: a new round.
  if (posted.pspStatus === 'needs_response') applyReopening(posted, at)
  else mark(posted, at, {})
}

/** Why it can't be accepted; null when it can. */
export function refusalOfAcceptance(chargeback: Shape): string | null {
  const { pspStatus: status } = chargeback
  if (status !== 'needs_response') return tooLate(String(status))
  if (ANSWERABLE_STAGES.includes(chargeback.lifecycleStage as LifecycleStage)) return null
  return 'The sandbox PSP takes no answer to an alert or a case of another kind.'
}

/** Why it can't be contested now; null when it can. */
export function refusalOfEvidence(chargeback: Shape, now: Date): string | null {
  const refusal = refusalOfAcceptance(chargeback)
  if (refusal !== null) return refusal
  if (marksOf(chargeback).evidenceDigest !== null) {
    return 'Evidence was submitted already: the sandbox PSP takes one submission per round.'
  }
  const due = dueDateOf(chargeback)
  if (due === null) return 'It has no due date: the sandbox PSP takes evidence up to a due date only. Post it with one.'
  return due <= now ? 'The due date has passed.' : null
}

export function dueDateOf({ dueDate }: Shape): Date | null {
  const due = typeof dueDate === 'string' ? new Date(dueDate) : null
  return due === null || Number.isNaN(due.getTime()) ? null : due
}

export function applyAcceptance(chargeback: Shape, at: Date): void {
  moveTo(chargeback, 'lost', at)
  mark(chargeback, at, { acceptedAt: at.toISOString() })
}

export function applySubmission(chargeback: Shape, digest: string, at: Date): void {
  moveTo(chargeback, 'under_review', at)
  mark(chargeback, at, { submissions: marksOf(chargeback).submissions + 1, evidenceDigest: digest })
}

/** A new round: earlier writes stay counted but have no effect any more. */
export function applyReopening(chargeback: Shape, at: Date): void {
  moveTo(chargeback, 'needs_response', at)
  mark(chargeback, at, { acceptedAt: null, evidenceDigest: null })
}

/** Why a chargeback in this status can't be contested any more, for the merchant. */
export function tooLate(status: string): string {
  switch (status) {
    case 'won':
      return 'The chargeback is won: it can no longer be accepted or contested.'
    case 'lost':
      return 'The chargeback is lost: it takes no answer any more.'
    case 'under_review':
      return 'The chargeback is under review: it takes no further answer.'
    default:
      return 'The chargeback does not wait for an answer.'
  }
}

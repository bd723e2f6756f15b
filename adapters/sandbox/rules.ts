import type { LifecycleStage } from '../../domain/chargeback.ts'
import { asRecord } from '../shared/raw-json.ts'

/**
 * What the sandbox PSP does with a chargeback, the same in its simulator and for chargebacks that clients posted as raw
 * data: accepting loses it, evidence puts it under review, and both leave a mark.
 */

/** A chargeback in the Recoup shape. */
export type Shape = Record<string, unknown>

/** The PSP's own marks, under the member `sandbox`. */
export interface Marks {
  /** Last change, ISO 8601. */
  updatedAt: string | null
  acceptedAt: string | null
  /** How often evidence went out, all rounds together. */
  submissions: number
  /** Digest of the evidence of this round; null when none went out. */
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

/** Changes the marks, and stamps the change behind the one before, whatever the clocks of clients said. */
export function mark(chargeback: Shape, at: Date, changes: Partial<Marks>): void {
  const marks = { ...asRecord(chargeback.sandbox), ...marksOf(chargeback), ...changes }
  chargeback.sandbox = { ...marks, updatedAt: behind(marksOf(chargeback).updatedAt, at) }
}

/** Changes the status, and dates the change behind the one before: what is provably older would never be applied. */
export function moveTo(chargeback: Shape, status: string, at: Date): void {
  if (chargeback.pspStatus !== status) chargeback.pspStatusChangeDate = behind(chargeback.pspStatusChangeDate, at)
  chargeback.pspStatus = status
}

function behind(earlier: unknown, at: Date): string {
  const before = instantOf(earlier)
  return new Date(Number.isNaN(before) ? at.getTime() : Math.max(before + 1, at.getTime())).toISOString()
}

/** Milliseconds; NaN for what is no date. */
const instantOf = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : Number.NaN)

/**
 * What a client posted after `before`, with the marks of what was done. Its date of the status goes on from the one
 * before: clients live through a case in days of their own, and our answers are dated by our clock.
 */
export function follow(before: Shape, posted: Shape, at: Date): void {
  posted.sandbox = marksOf(before)
  const [earlier, later] = [instantOf(before.pspStatusChangeDate), instantOf(posted.pspStatusChangeDate)]
  if (earlier > later) {
    const same = before.pspStatus === posted.pspStatus
    posted.pspStatusChangeDate = same ? before.pspStatusChangeDate : behind(before.pspStatusChangeDate, new Date(later))
  }
  // Posted as waiting again means a new round.
  if (posted.pspStatus === 'needs_response') applyReopening(posted, at)
  else mark(posted, at, {})
}

/** Why it can't be given up; null when it can. */
export function refusalOfAcceptance(chargeback: Shape): string | null {
  const { pspStatus: status } = chargeback
  if (status !== 'needs_response') return tooLate(String(status))
  if (ANSWERABLE_STAGES.includes(chargeback.lifecycleStage as LifecycleStage)) return null
  return 'The sandbox PSP takes no answer to an alert or a case of another kind.'
}

/** Why it takes no evidence now; null when it does. */
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

/** A new round: what was done in the one before stays counted and is not in force any more. */
export function applyReopening(chargeback: Shape, at: Date): void {
  moveTo(chargeback, 'needs_response', at)
  mark(chargeback, at, { acceptedAt: null, evidenceDigest: null })
}

/** Why a chargeback in this status can't be answered any more, for the merchant. */
export function tooLate(status: string): string {
  switch (status) {
    case 'won':
      return 'The chargeback is won: there is nothing left to give up or to contest.'
    case 'lost':
      return 'The chargeback is lost: it takes no answer any more.'
    case 'under_review':
      return 'The chargeback is under review: it takes no further answer.'
    default:
      return 'The chargeback does not wait for an answer.'
  }
}

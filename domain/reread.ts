import type { PspStatus } from './chargeback.ts'
import { type LastReport, staleAt } from './stale.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const WEEK = 7 * DAY
/** Statuses that the PSP will change. */
const OPEN: readonly string[] = ['needs_response', 'under_review', 'unknown'] satisfies PspStatus[]
/** A decided dispute may be reversed or reopened: schemes allow appeals for about half a year. */
const WATCHED_AFTER_DECISION = 180 * DAY
/** The interval between two reads of an open dispute is this fraction of its age, and of the time to its due date. */
const PART_OF_AGE = 24
const PART_OF_TIME_LEFT = 4
const SHORTEST_NEAR_DUE_DATE = 15 * MINUTE

export interface ReadDispute extends LastReport {
  /** When it was opened, if the PSP reports it. */
  postingDate: Date | null
  /** The PSP can't be read: checked only when the dispute is past its expected end, see domain/stale.ts. */
  inboxOnly?: boolean | undefined
}

/**
 * When to read a dispute again after a read at `now`, without a reported change. Open: hourly while it is new, up to
 * weekly with age, and more often near the due date. Decided: weekly until 180 days after the last change, then never
 * (null).
 */
export function rereadAfter(dispute: ReadDispute, now: Date): Date | null {
  if (dispute.inboxOnly) return staleAt(dispute)
  const { pspStatus, postingDate, changedAt, dueDate } = dispute
  const at = now.getTime()
  const since = (changedAt ?? postingDate ?? now).getTime()
  if (!OPEN.includes(pspStatus)) return at + WEEK <= since + WATCHED_AFTER_DECISION ? new Date(at + WEEK) : null
  const byAge = Math.min(WEEK, Math.max(HOUR, (at - since) / PART_OF_AGE))
  const left = dueDate === null ? 0 : dueDate.getTime() - at
  const byDueDate = left > 0 ? Math.max(SHORTEST_NEAR_DUE_DATE, left / PART_OF_TIME_LEFT) : byAge
  return new Date(at + Math.min(byAge, byDueDate))
}

import type { PspStatus } from './chargeback.ts'

const DAY = 86_400_000

/**
 * Days of silence after which something is wrong. The PSP itself ends a dispute that nobody answered; issuers take up to
 * two rounds of 45 days (Mastercard) over an answer.
 */
const QUIET_DAYS: Partial<Record<PspStatus, number>> = { needs_response: 7, unknown: 7, under_review: 90 }
/** An answered dispute without a due date counts from its last change. */
const WITHOUT_DUE_DATE: PspStatus = 'under_review'

/** What a PSP last reported about a dispute. */
export interface LastReport {
  pspStatus: string
  /** When the PSP last changed it, if known. */
  changedAt: Date | null
  dueDate: Date | null
}

/**
 * When a dispute of a PSP that can't be read again is stale: still open so long after its due date, and after the last
 * that was told, that its end must have got lost on the way. Null = never.
 */
export function staleAt({ pspStatus, changedAt, dueDate }: LastReport): Date | null {
  const days = QUIET_DAYS[pspStatus as PspStatus]
  if (days === undefined || (dueDate === null && (pspStatus !== WITHOUT_DUE_DATE || changedAt === null))) return null
  return new Date(Math.max(dueDate?.getTime() ?? 0, changedAt?.getTime() ?? 0) + days * DAY)
}

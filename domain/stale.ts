import type { PspStatus } from './chargeback.ts'

const DAY = 86_400_000

/**
 * Days without a report after which a notification is probably lost. The PSP itself closes an unanswered dispute;
 * issuers take up to two rounds of 45 days (Mastercard) to decide about evidence.
 */
const QUIET_DAYS: Partial<Record<PspStatus, number>> = { needs_response: 7, unknown: 7, under_review: 90 }
/** A contested dispute without a due date counts from its last change. */
const WITHOUT_DUE_DATE: PspStatus = 'under_review'

/** The PSP's last report about a dispute. */
export interface LastReport {
  pspStatus: string
  /** When the PSP last changed it, if known. */
  changedAt: Date | null
  dueDate: Date | null
}

/**
 * When a dispute of a PSP that can't be read becomes stale: still open so long after its due date and its last report
 * that a notification must have been lost. Null = never.
 */
export function staleAt({ pspStatus, changedAt, dueDate }: LastReport): Date | null {
  const days = QUIET_DAYS[pspStatus as PspStatus]
  if (days === undefined || (dueDate === null && (pspStatus !== WITHOUT_DUE_DATE || changedAt === null))) return null
  return new Date(Math.max(dueDate?.getTime() ?? 0, changedAt?.getTime() ?? 0) + days * DAY)
}

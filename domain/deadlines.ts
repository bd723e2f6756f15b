import type { CardScheme } from './chargeback.ts'
import type { Source } from './integration.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Hours before the due date at which the data window closes and evidence is built from the data present. */
export const DATA_WINDOW_HOURS = 72

/**
 * Days from posting within which a merchant may answer, for PSPs without a due date (docs/interface.md#due-dates).
 * Other schemes have none, because a guessed deadline that is too late loses the case.
 */
const ANSWER_DAYS: Partial<Record<CardScheme, number>> = {
  visa: 30,
  mastercard: 45,
  amex: 20,
  discover: 30,
  // Diners Club disputes run on Discover's network and under its dispute rules.
  diners: 30,
}

/**
 * Hours by which a PSP's due date may be later than intended. Braintree gives a day without a time zone: the chargeback
 * is due at the end of that day in the last zone (UTC-12, 36 hours after 00:00 UTC of it), but Recoup's own deadlines
 * count from 00:00 UTC, the earliest meaning.
 */
export const LATEST_READING_HOURS = { braintree: 36 } as const satisfies Partial<Record<Source, number>>

/** Hours before its due date at which a chargeback of that PSP may already be due, in the earliest meaning. */
export function latestReadingHours(psp: string | undefined): number {
  return new Map<string, number>(Object.entries(LATEST_READING_HOURS)).get(psp ?? '') ?? 0
}

/**
 * When a chargeback is due. The PSP's date takes precedence; the scheme's days apply only while an answer is possible.
 * @returns null when unknown
 */
export function dueDateOf(chargeback: {
  dueDate: Date | null
  postingDate: Date | null
  cardScheme: CardScheme | null
  /** Whether the PSP still accepts an answer. */
  answerable: boolean
}): Date | null {
  const { dueDate, postingDate, cardScheme, answerable } = chargeback
  if (dueDate) return dueDate
  const days = cardScheme ? ANSWER_DAYS[cardScheme] : undefined
  if (!answerable || !postingDate || days === undefined) return null
  return new Date(postingDate.getTime() + days * DAY_MS)
}

/** Whether the data window has closed; never while the due date is unknown. */
export function dataWindowClosed(dueDate: Date | null, now: Date, hours: number = DATA_WINDOW_HOURS): boolean {
  return dueDate !== null && now.getTime() >= dueDate.getTime() - hours * HOUR_MS
}

/** Whether the due date has been reached; an unknown one has not. */
export function isOverdue(dueDate: Date | null, now: Date): boolean {
  return dueDate !== null && now.getTime() >= dueDate.getTime()
}

/**
 * Operators are notified of an acceptance or a submission that is still open this many hours before the due date, which
 * leaves time to answer in the PSP's dashboard. The grace seconds exist because most commands complete within two
 * seconds.
 */
export const DUE_SOON_HOURS = 12
export const DUE_SOON_GRACE_SECONDS = 30

import type { CardScheme } from './chargeback.ts'
import type { Source } from './integration.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Hours before the due date at which waiting for more data ends and evidence is built with what is there. */
export const DATA_WINDOW_HOURS = 72

/**
 * Days from posting in which a merchant may answer, for PSPs that give no due date (docs/interface.md#due-dates).
 * Schemes that are not named there have none: a guessed deadline that is too late costs the case.
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
 * Hours by which the due date of a PSP may be later than what the PSP meant. Braintree names a day without a time zone: the
 * chargeback is due when that day is over in the latest zone (UTC-12, 36 hours after 00:00 UTC of it), and whatever of ours
 * must be ready in time counts from 00:00 UTC of it, the earliest reading.
 */
export const LATEST_READING_HOURS = { braintree: 36 } as const satisfies Partial<Record<Source, number>>

/** How many hours before its due date a chargeback of that PSP may be over, in the earliest reading. */
export function latestReadingHours(psp: string | undefined): number {
  return new Map<string, number>(Object.entries(LATEST_READING_HOURS)).get(psp ?? '') ?? 0
}

/**
 * When a chargeback is due. The PSP's own date always wins; the scheme's days count only while an answer is possible.
 * @returns null when nothing says when
 */
export function dueDateOf(chargeback: {
  dueDate: Date | null
  postingDate: Date | null
  cardScheme: CardScheme | null
  /** Whether the PSP would still take an answer. */
  answerable: boolean
}): Date | null {
  const { dueDate, postingDate, cardScheme, answerable } = chargeback
  if (dueDate) return dueDate
  const days = cardScheme ? ANSWER_DAYS[cardScheme] : undefined
  if (!answerable || !postingDate || days === undefined) return null
  return new Date(postingDate.getTime() + days * DAY_MS)
}

/** Whether the time to collect data is over; never, while the due date is unknown. */
export function dataWindowClosed(dueDate: Date | null, now: Date, hours: number = DATA_WINDOW_HOURS): boolean {
  return dueDate !== null && now.getTime() >= dueDate.getTime() - hours * HOUR_MS
}

/** Whether the due date has passed, its own instant included; an unknown one has not. */
export function isOverdue(dueDate: Date | null, now: Date): boolean {
  return dueDate !== null && now.getTime() >= dueDate.getTime()
}

/**
 * An acceptance or a submission that is still open this many hours before the due date is told to operators: time enough
 * to answer in the PSP's dashboard. Seconds that it gets at first, for most are through in two.
 */
export const DUE_SOON_HOURS = 12
export const DUE_SOON_GRACE_SECONDS = 30

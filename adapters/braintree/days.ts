import { LATEST_READING_HOURS } from '../../domain/deadlines.ts'
import { instantOf } from './facts.ts'

/** Calendar days as YYYY-MM-DD in UTC; Braintree's filters and many of its fields have no finer resolution. */

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** Hours from 00:00 UTC of a reply-by day to its end in the last time zone. */
export const DAY_MARGIN_HOURS = LATEST_READING_HOURS.braintree

/**
 * The end of a reply-by date, as ISO 8601. `replyByDate` is a day without a time zone (unverified which). It ends last
 * at UTC-12, after every zone that Braintree serves, Hawaii and American Samoa included. A value with a time is used
 * unchanged. Null for an invalid date.
 */
export function replyByEnd(text: string): string | null {
  const instant = instantOf(text)
  if (instant === null || text.length > 10) return instant
  return new Date(Date.parse(instant) + DAY_MARGIN_HOURS * HOUR_MS).toISOString()
}

export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10)
}

export function addDays(day: string, count: number): string {
  return dayOf(new Date(Date.parse(day) + count * DAY_MS))
}

/** How many days `to` is after `from`. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS)
}

/** MM/DD/YYYY, as Braintree's own SDK tests send days. */
export function wireDay(day: string): string {
  const [year, month, date] = day.split('-')
  return `${month}/${date}/${year}`
}

/** A date as a client or a PSP wrote it. */
export interface WrittenDate {
  /** The day as written, in the zone of the text: YYYY-MM-DD. */
  day: string
  /** Hours and minutes as written; null for a day alone. */
  time: string | null
  /** Offset from UTC in minutes; null for a day alone. */
  offset: number | null
  /** Milliseconds; null for a day alone. */
  instant: number | null
}

const WRITTEN = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/
export const MONTHS = 'January February March April May June July August September October November December'.split(' ')

/**
 * Reads a day (2026-03-06) or a time with its zone (2026-03-06T11:42:00Z, …+03:00). A time without a zone counts as its
 * day alone, because nobody knows which instant it is. Null for anything else: 03/04/2026 has two meanings.
 */
export function readDate(value: unknown): WrittenDate | null {
  if (typeof value !== 'string') return null
  const [, day = '', time, zone] = WRITTEN.exec(value.trim()) ?? []
  const midnight = Date.parse(`${day}T00:00:00Z`)
  // JavaScript turns 30 February into 2 March.
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return null
  if (time === undefined || zone === undefined) return { day, time: null, offset: null, instant: null }
  const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d\d):?(\d\d)/.exec(zone) ?? []
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
  const instant = Date.parse(`${day}T${time}:00Z`) - offset * 60_000
  return Number.isNaN(instant) || Math.abs(offset) > 14 * 60 ? null : { day, time, offset, instant }
}

/** Whether one date is certainly before another: by instants if both have one, else by the days as written. */
export function isBefore(one: WrittenDate, other: WrittenDate): boolean {
  if (one.instant !== null && other.instant !== null) return one.instant < other.instant
  return one.day < other.day
}

/** Whether one date is at least so many days before another: by instants if both have one, else by the days as written. */
export function isDaysBefore(one: WrittenDate, other: WrittenDate, days: number): boolean {
  const [from, to] =
    one.instant !== null && other.instant !== null
      ? [one.instant, other.instant]
      : [Date.parse(`${one.day}T00:00:00Z`), Date.parse(`${other.day}T00:00:00Z`)]
  return to - from >= days * 86_400_000
}

/** Milliseconds at which a date is no longer in the future. A day alone: when it begins in the first zone. */
export const passesAt = ({ day, instant }: WrittenDate): number =>
  instant ?? Date.parse(`${day}T00:00:00Z`) - 14 * 3_600_000

export const isAfterInstant = (date: WrittenDate, now: Date): boolean => passesAt(date) > now.getTime()

/** Disputes are about payments of this century. */
const EARLIEST = '2000-01-01'

export interface DateFault {
  code: 'unreadable' | 'too_old' | 'future'
  why: string
}

export const NO_DATE: DateFault = {
  code: 'unreadable',
  why: 'is no date: send it as 2026-03-06 or 2026-03-06T11:42:00+01:00.',
}

/** Why a date can't be used; null if it can. */
export function faultOfDate(date: WrittenDate, now: Date, future = false): DateFault | null {
  if (date.day < EARLIEST) return { code: 'too_old', why: 'is before 2000.' }
  return !future && isAfterInstant(date, now) ? { code: 'future', why: 'is in the future.' } : null
}

/** `6 March 2026` */
export function writeDay({ day }: WrittenDate): string {
  const [year = '', month = '', date = ''] = day.split('-')
  return `${Number(date)} ${MONTHS[Number(month) - 1]} ${year}`
}

/** `2026-03-06T11:42:00Z`, or the day alone. */
export function writeIso({ day, time, offset }: WrittenDate): string {
  if (time === null || offset === null) return day
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60]
  const two = (number: number) => String(number).padStart(2, '0')
  return `${day}T${time}:00${offset === 0 ? 'Z' : `${offset < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`}`
}

/** `6 March 2026, 11:42 UTC`, `…, 11:42 (UTC+3)`, or the day alone. */
export function writeTime(date: WrittenDate): string {
  if (date.time === null || date.offset === null) return writeDay(date)
  const { offset } = date
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60]
  const zone = `UTC${offset < 0 ? '-' : '+'}${hours}${minutes ? `:${String(minutes).padStart(2, '0')}` : ''}`
  return `${writeDay(date)}, ${date.time} ${offset === 0 ? 'UTC' : `(${zone})`}`
}

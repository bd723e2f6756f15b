import { faultOfDate, readDate, type WrittenDate, writeTime } from '../written-dates.ts'
import { lineOf, readList } from './read-list.ts'

export interface TimelineEvent {
  /** A text that is no date is kept as the merchant wrote it. */
  when: WrittenDate | string
  what: string
}

/** What happened, oldest first; in the merchant's order if a time can't be read. */
export interface EvidenceTimeline {
  events: readonly TimelineEvent[]
  /** Number of later events. */
  others: number
}

const MOST_EVENTS = 40
const WHEN_MAX = 60
const WHAT_MAX = 300

/** Reads `timeline`: `[{"when": "2026-03-06T11:42:00Z", "what": "Parcel handed over"}]`. */
export function readTimeline(name: string, value: unknown, now: Date): Read {
  const { entries, faults } = readList<TimelineEvent>(name, value, (given, fault) => {
    const what = lineOf(given.what, WHAT_MAX)
    if (what === null) fault('what', 'is missing.')
    const date = readDate(given.when)
    const written = date ? null : lineOf(given.when, WHEN_MAX)
    if (!date) fault('when', written === null ? 'is missing.' : 'is no date, and is shown as it is written.')
    const why = date && faultOfDate(date, now)
    if (why) fault('when', why.why)
    const when = date ?? written
    return what === null || when === null || why ? null : { when, what }
  })
  if (entries.length === 0) return { value: null, faults }
  const times = entries.map(timeOf)
  const order = entries.map((_, index) => index)
  if (!times.includes(null)) order.sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0))
  const events = order.flatMap((index) => entries[index] ?? [])
  return { value: { events: events.slice(0, MOST_EVENTS), others: Math.max(0, events.length - MOST_EVENTS) }, faults }
}

type Read = { value: EvidenceTimeline | null; faults: string[] }

/** One text for each event. */
export function writeTimeline({ events, others }: EvidenceTimeline): string[] {
  return [
    ...events.map(({ when, what }) => `${typeof when === 'string' ? when : writeTime(when)}: ${what}`),
    ...(others > 0 ? [`${others} more events`] : []),
  ]
}

/** A day alone counts from its start. */
const timeOf = ({ when }: TimelineEvent): number | null =>
  typeof when === 'string' ? null : (when.instant ?? Date.parse(`${when.day}T00:00:00Z`))

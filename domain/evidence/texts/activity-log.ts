import type { Facts } from '../gather-facts.ts'
import { readDate, type WrittenDate } from '../written-dates.ts'
import { foldedLines, wholeSentences } from './prose.ts'

/** Entries shown near the purchase or the cancellation, besides the first and the last entry of the log. */
const NEAREST = 5
/** Characters reserved for the line that counts what is left out. */
const COUNT = 60
const TIME = /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/

/** Entries near this time answer the claim: near the cancellation if there was one, else near the purchase. */
export const logAnchor = ({ cancellationDate, transactionCreatedDate }: Facts): WrittenDate | null =>
  ((cancellationDate ?? transactionCreatedDate)?.value as WrittenDate | undefined) ?? null

/**
 * A log that fits as it is. Of a longer one the first and the last entry, and those nearest the anchor; without
 * readable times those that follow the first. The last line says how many are left out.
 */
export function shortLog(log: string, anchor: WrittenDate | null, limit: number): string | null {
  const whole = foldedLines(log)
  if (whole.length <= limit) return whole
  const lines = whole.split('\n')
  const separator = lines.length > 1 ? '\n' : '; '
  const entries = lines.length > 1 ? lines : whole.split(/; ?/).filter((entry) => entry !== '')
  if (entries.length === 1) return wholeSentences(whole, limit)
  const each = Math.floor((limit - COUNT) / (NEAREST + 2)) - separator.length
  const shown = chosen(entries, anchor).flatMap((index) => wholeSentences(entries[index] ?? '', each) ?? [])
  if (shown.length === 0) return null
  const left = entries.length - shown.length
  const count = left === 0 ? [] : [`[${left} of ${entries.length} entries left out]`]
  return [...shown, ...count].join(separator)
}

/** Indexes of the entries to show, in the log's order. */
function chosen(entries: readonly string[], anchor: WrittenDate | null): number[] {
  const at = anchor && moment(anchor)
  const distance = (index: number) => {
    const own = timeOf(entries[index] ?? '')
    return at === null || own === null ? Number.POSITIVE_INFINITY : Math.abs(own - at)
  }
  const between = entries
    .map((_, index) => ({ index, far: distance(index) }))
    .slice(1, -1)
    // Two infinite distances differ by NaN.
    .sort((a, b) => (a.far === b.far ? a.index - b.index : a.far - b.far))
    .slice(0, NEAREST)
    .map(({ index }) => index)
  return [0, ...between, entries.length - 1].sort((a, b) => a - b)
}

/** Milliseconds of an entry's time; a time without a zone counts as UTC, because only nearness matters. */
function timeOf(entry: string): number | null {
  const [written] = TIME.exec(entry) ?? []
  if (written === undefined) return null
  const date = readDate(`${written}Z`) ?? readDate(written)
  return date && moment(date)
}

const moment = ({ instant, day }: WrittenDate) => instant ?? Date.parse(`${day}T00:00:00Z`)

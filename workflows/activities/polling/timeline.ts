import {
  type ColumnName,
  type ComparedName,
  columnOf,
  inTimeline,
  WRITTEN,
  type WrittenName,
} from '../../../db/chargebacks/column-sql.ts'
import type { Column } from '../../../db/chargebacks/columns.ts'
import type { ChargebackColumns, StoredChargeback, TimelineEntry } from '../../../db/polling/page.ts'
import { minorToDecimal } from '../../../domain/money.ts'

/**
 * The changes of a chargeback in one reading, as timeline entries. The column table (db/chargebacks/columns.ts) says
 * which fields and how.
 */

type Field = ComparedName & WrittenName
/** Columns that a reading does not write can't change in it. */
const readings = (names: readonly ColumnName[]) => WRITTEN.filter((name) => names.includes(name)) as Field[]
const eventOf = (name: ColumnName) => columnOf(name).timeline as Exclude<Column['timeline'], string>

/** Columns with a separate event each, as the amount has. */
const EVENTS = WRITTEN.filter((name) => typeof columnOf(name).timeline === 'object').sort(
  (a, b) => (eventOf(a)?.event ?? 0) - (eventOf(b)?.event ?? 0),
) as Field[]
const FIRST = EVENTS.filter((name) => !eventOf(name)?.later)
/** Reported together. A fact that is missing in the PSP's object stays as it was. */
const DETAILS = readings(inTimeline('details'))
const FREE_TEXT = readings(inTimeline('name only'))
const ASSESSMENT = readings(inTimeline('assessment'))

/** Pure: the timeline entries of one reading, in order. */
export function timelineEntries(
  id: string,
  stored: StoredChargeback | null,
  columns: ChargebackColumns,
): TimelineEntry[] {
  const entry = { chargeback_id: id, source: columns.psp }
  const reason = columns.statusReason
  if (!stored)
    return [
      {
        ...entry,
        what: 'ingested',
        before: null,
        after: { ...valuesOf(FIRST, columns), ...amountIn(columns), reason },
      },
    ]

  const changes = (fields: readonly Field[]) => {
    const [old, now] = [valuesOf(fields, stored), valuesOf(fields, columns)]
    return Object.keys(now).flatMap((name) =>
      old[name] === now[name] ? [] : [{ name, before: { [name]: old[name] }, after: { [name]: now[name] } }],
    )
  }
  const moved = changes(EVENTS).map(({ name, before, after }) => {
    const more = name === 'status' ? { reason } : {}
    return { ...entry, what: `${name} changed`, before, after: { ...after, ...more } as Record<string, unknown> }
  })
  const [before, after] = [money(stored.amountMinor, stored.amountExponent, stored.currency), amountIn(columns)]
  if (before.amount !== after.amount) moved.push({ ...entry, what: 'amount changed', before, after })
  if (stored.status === columns.status && stored.statusReason !== reason)
    moved.push({ ...entry, what: 'reason changed', before: { reason: stored.statusReason }, after: { reason } })
  const kept = (fields: readonly Field[]) => fields.filter((name) => columns[name] !== null)
  const texts = changes(kept(FREE_TEXT)).map((change) => change.name)
  const named = texts.length > 0 ? [{ before: {}, after: { fields: texts } }] : []
  return [
    ...moved,
    ...together(entry, 'details', [...changes(kept(DETAILS)), ...named]),
    ...together(entry, 'assessment', changes(ASSESSMENT)),
  ]
}

function together(
  entry: Pick<TimelineEntry, 'chargeback_id' | 'source'>,
  what: string,
  changes: { before: object; after: object }[],
): TimelineEntry[] {
  if (changes.length === 0) return []
  const [before, after] = [changes.map((one) => one.before), changes.map((one) => one.after)]
  return [
    { ...entry, what: `${what} changed`, before: Object.assign({}, ...before), after: Object.assign({}, ...after) },
  ]
}

/** In units of the currency, as in a response. */
const money = (minor: bigint, exponent: number, currency: string): Record<string, unknown> => ({
  amount: Number(minorToDecimal(minor, exponent)),
  currency,
})

const amountIn = ({ amountMinor, amountExponent, currency }: ChargebackColumns) =>
  money(BigInt(amountMinor), amountExponent, currency)

/** Format in the timeline: times as ISO 8601, integers beyond 2^53 as text. */
const shown = (name: Field, value: unknown): unknown => {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'string' && columnOf(name).kind.json === 'time' ? new Date(value).toISOString() : value
}

const valuesOf = (fields: readonly Field[], row: ChargebackColumns | StoredChargeback): Record<string, unknown> =>
  Object.fromEntries(fields.map((name) => [name, shown(name, row[name])]))

import { type RawBuilder, sql } from 'kysely'
import { asArray } from '../core/arrays.ts'
import { COLUMNS, type Column } from './columns.ts'

/** SQL and types derived from the column table. Names come from the code, never from a client. */

type Columns = typeof COLUMNS
export type ColumnName = keyof Columns
type Nullable<Name extends ColumnName, Value> = Columns[Name] extends { null: true } ? Value | null : Value
type Without<Flag> = { [Name in ColumnName]: Columns[Name] extends Flag ? never : Name }[ColumnName]

/** Columns as read. */
export type Stored<Name extends ColumnName> = {
  [One in Name]: Nullable<One, NonNullable<Columns[One]['kind']['reads']>>
}
export type ComparedName = Without<{ compared: false }>
export type WrittenName = Without<{ written: false }>
/** A chargeback as written from a PSP reading. */
export type Written = {
  [Name in WrittenName]: Nullable<Name, Parameters<NonNullable<Columns[Name]['kind']['accepts']>>[0]>
}

export const columnOf = (name: ColumnName): Column => COLUMNS[name]
const namesWhere = (holds: (column: Column) => boolean) =>
  (Object.keys(COLUMNS) as ColumnName[]).filter((name) => holds(columnOf(name)))

/** Columns that a PSP reading writes. */
export const WRITTEN = namesWhere(({ written }) => written !== false) as WrittenName[]
/** Columns that are compared with the next reading. */
export const COMPARED = namesWhere(({ compared }) => compared !== false) as ComparedName[]
/** Columns that clients see, in the order of the interface. */
export const SHOWN = namesWhere(({ shown }) => shown !== undefined)
export const inTimeline = (how: Column['timeline']) => namesWhere(({ timeline }) => timeline === how)

export const jsonName = (name: ColumnName): string => columnOf(name).json ?? name

const list = (names: readonly ColumnName[], write: (name: ColumnName, column: Column) => string) =>
  sql.raw(names.map((name) => write(name, columnOf(name))).join(', '))

/** `id, psp_status, …` */
export const columnList = (names: readonly ColumnName[]) => list(names, (_, { column }) => column)
/** `"id" uuid, "pspStatus" text, …`: record type for JSON input. */
export const recordOf = (names: readonly ColumnName[]) => list(names, (name, { kind }) => `"${name}" ${kind.sql}`)
/** Types without an array of values that `unnest` would take apart: they travel as text. */
const asText = (column: Column): boolean => ['text[]', 'jsonb'].includes(column.kind.sql)
/** `"id", "anomalies"::text[], …`: the values of `rowsOf`. */
export const valueList = (names: readonly ColumnName[]) =>
  list(names, (name, column) => `"${name}"${asText(column) ? `::${column.kind.sql}` : ''}`)
/** `unnest(…) as r("id", "pspStatus", …)`: many rows, one array for each column. */
export function rowsOf<Name extends WrittenName>(
  names: readonly Name[],
  rows: readonly Pick<Written, Name>[],
): RawBuilder<unknown> {
  const arrays = names.map((name) => {
    const column = columnOf(name)
    const values = asArray(rows.map((row) => elementOf(row[name])))
    return sql`${values}::${sql.raw(asText(column) ? 'text' : column.kind.sql)}[]`
  })
  return sql`unnest(${sql.join(arrays)}) as r(${list(names, (name) => `"${name}"`)})`
}
function elementOf(value: unknown): string | number | boolean | null {
  if (typeof value !== 'object' || value === null) return value as string | number | boolean | null
  return Array.isArray(value) ? asArray(value) : JSON.stringify(value)
}
/** `c.id as "id", …`, read as `Stored`. */
export const selected = (names: readonly ColumnName[]) =>
  list(names, (name, { column, kind }) => `c.${column}${kind.sql === 'numeric' ? '::float8' : ''} as "${name}"`)
/** `psp_status = r."pspStatus", …` */
export const assigned = (names: readonly ColumnName[]) => list(names, (name, { column }) => `${column} = r."${name}"`)
/** `jsonb_build_object('pspStatus', c.psp_status, …)` of the row `alias`. */
export const asObject = (alias: string, names: readonly ColumnName[]) =>
  sql`jsonb_build_object(${list(names, (name, { column }) => `'${name}', ${alias}.${column}`)})`

/** `on conflict` assignments of an insert that meets the row `c`. */
export const REREAD = list(
  WRITTEN.filter((name) => columnOf(name).reread !== 'fixed'),
  (_, { column, reread = `excluded.${column}` }) =>
    `${column} = ${reread === 'kept' ? `coalesce(excluded.${column}, c.${column})` : reread}`,
)

/** SQL for the JSON text of a value; null when it is absent. */
const RENDERING: Record<NonNullable<Column['kind']['json']>, (column: string) => string> = {
  // Holds no quote, backslash or control character.
  string: (column) => `'"' || c.${column} || '"'`,
  text: (column) => `to_json(c.${column})::text`,
  time: (column) => `'"' || to_char(c.${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'`,
  number: (column) => `trim_scale(c.${column})`,
  boolean: (column) => `case when c.${column} then 'true' else 'false' end`,
  amount: (column) => `trim_scale(c.${column} * ('1e-' || c.amount_exponent)::numeric)`,
  merchant: () => 'merchant.reference',
}

/**
 * A chargeback `c` as clients see it, as JSON text. `merchant.reference` is the merchant's reference as JSON text. `||`
 * yields null for an absent value and concat then omits the field; the id comes first and is never absent.
 */
export const RENDERED: RawBuilder<string> = sql`concat('{', ${list(SHOWN, (name, { column, kind }) => {
  const comma = name === SHOWN[0] ? '' : ','
  return `'${comma}"${jsonName(name)}":' || ${RENDERING[kind.json ?? 'text'](column)}`
})}, '}')`

/** The decision about the scope of the chargeback `c`, as further fields of its JSON text. */
export const SCOPE_REASON: RawBuilder<string> = sql`',"scopeReason":' ||
  coalesce(c.scope_decision, '{"by":"contract","inScope":true}')::text`
/** Whole seconds until the chargeback `c` is due, negative once it was. */
export const DUE_IN: RawBuilder<string> = sql`',"dueIn":' || floor(extract(epoch from c.due_date - now()))`

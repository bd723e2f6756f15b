import type { Sent } from './log.ts'

/**
 * Values of one test's database are replaced by placeholders, `<<chargeback:1>>`, which another database fills with its
 * own rows: ids by their table, ids at the PSP by their column, times by their distance from now.
 */
export type Kind = 'account' | 'merchant' | 'integration' | 'chargeback' | 'transaction' | 'command' | 'file' | 'other'

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const TIME = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d(?::?\d\d)?)/g

/** Sealed texts of `db/core/seal.ts`, which differ in each run. */
const SEALED = /\bv1\.\w+\.[\w-]{10,}\.[\w-]+/g

/** Tables by the columns that hold their ids, in SQL and in JSON. */
const COLUMNS: Record<string, Kind> = {
  ...{ account_id: 'account', accountId: 'account', merchant_uuid: 'merchant', merchantUuid: 'merchant' },
  ...{ integration_id: 'integration', integrationId: 'integration', copied_from: 'integration' },
  ...{ parent_integration_id: 'integration', id: 'chargeback', chargeback_id: 'chargeback', merged_into: 'chargeback' },
  ...{ chargebackId: 'chargeback', command_id: 'command', commandId: 'command', file_id: 'file', fileId: 'file' },
  ...{ transaction_record_id: 'transaction', credential_id: 'other' },
  ...{ endpoint_id: 'other', event_id: 'other', rotation_id: 'other' },
}
/** Columns with ids of the PSP, and how the rows of `fill` name theirs. */
const REFERENCES: Record<string, string> = {
  ...{ chargeback_id: 'du', reference: 'du', transaction_id: 'ch', external_transaction_identifier: 'ch', arn: 'arn' },
}

/** Kinds of the ids in the statements of one test. */
export function kindsOf(sent: readonly Sent[]): Map<string, Kind> {
  const kinds = new Map<string, Kind>()
  for (const { text, values } of sent) {
    const columns = columnsOf(text)
    for (const [index, value] of values.entries()) {
      const ofColumn = COLUMNS[columns.get(index + 1) ?? '']
      if (ofColumn) for (const id of value?.match(UUID) ?? []) if (!kinds.has(id)) kinds.set(id, ofColumn)
      for (const [, key = '', id = ''] of value?.matchAll(/"(\w+)": ?"([0-9a-f-]{36})"/g) ?? [])
        if (COLUMNS[key] && !kinds.has(id)) kinds.set(id, COLUMNS[key])
    }
  }
  return kinds
}

export function withPlaces({ text, values, at }: Sent, kinds: ReadonlyMap<string, Kind>): (string | null)[] {
  const columns = columnsOf(text)
  const seen = new Map<string, string>()
  const place = (kind: string, value: string) => {
    const known = seen.get(value)
    if (known) return known
    const count = [...seen.values()].filter((one) => one.startsWith(`<<${kind}:`)).length
    seen.set(value, `<<${kind}:${count + 1}>>`)
    return `<<${kind}:${count + 1}>>`
  }
  return values.map((value, index) => {
    const column = columns.get(index + 1) ?? ''
    const reference = REFERENCES[column]
    return (
      value
        ?.replace(SEALED, 'v1.k.sealed')
        .replace(UUID, (id) => place(kinds.get(id) ?? 'unknown', id))
        .replace(TIME, (time) => `<<time:${Math.round((Date.parse(time) - at.getTime()) / 60_000)}>>`)
        .replace(/^[^<{]+$|(?<=[{,]"?)[a-z]+_[\w-]+/g, (one) => (reference ? place(reference, one) : one)) ?? null
    )
  })
}

/** By number of the parameter: the column that it is compared with or written into, if the statement shows it. */
function columnsOf(text: string): Map<number, string> {
  const columns = new Map<number, string>()
  for (const [, column = '', n] of text.matchAll(/(\w+)"?\)*\s*(?:=|<>|<|>|<=|>=|in)\s*(?:any\s*)?\(?\$(\d+)/g))
    columns.set(Number(n), column)
  for (const [, names = '', items = ''] of text.matchAll(
    /insert into "?\w+"?(?: as \w+)?\s*\(([^)]*)\)\s*(?:values \(|select )([^;]*)/g,
  )) {
    const parts = items.split(/,(?![^(]*\))/)
    for (const [index, name] of names.split(',').entries()) {
      const [, n] = /^\s*\$(\d+)/.exec(parts[index] ?? '') ?? []
      if (n) columns.set(Number(n), name.replace(/["\s]/g, ''))
    }
  }
  for (const [, given = '', names = ''] of text.matchAll(
    /unnest\(([^)]*)\)(?: with ordinality)? (?:as )?\w+\s*\(([^)]*)\)/g,
  ))
    for (const [index, part] of given.split(',').entries()) {
      const [, n] = /\$(\d+)/.exec(part) ?? []
      if (n) columns.set(Number(n), (names.split(',')[index] ?? '').trim())
    }
  return columns
}

import { sql } from 'kysely'
import type { Database } from '../../db/core/connect.ts'
import { type KeyRing, open, openBytes, type SealContext } from '../../db/core/seal.ts'
import { SEALED_COLUMNS } from '../../db/core/sealed-columns.ts'
import { checkFile } from '../../files/inspect.ts'

type Row = Record<string, unknown>
/** How to open the sealed columns. The search fails on a sealed column that is not listed. */
const SEALED: Record<string, (row: Row) => SealContext> = Object.fromEntries(
  SEALED_COLUMNS.map(({ table, column, of, context }) => [
    `${table}.${column}`,
    (row: Row) => context(Object.fromEntries(of.map((name) => [name, String(row[name])]))),
  ]),
)

/** Columns that contain each word, ignoring case, as sorted `table.column`. Searches all tables and columns. */
export async function search(db: Database, ring: KeyRing, words: readonly string[]): Promise<Record<string, string[]>> {
  const found = new Map(words.map((word) => [word, new Set<string>()]))
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`.execute(db)
  for (const { name } of tables) {
    const { rows } = await sql<Row>`select * from ${sql.table(name)}`.execute(db)
    for (const row of rows)
      for (const [column, value] of Object.entries(row)) {
        const place = `${name}.${column}`
        const plain = (await texts(ring, place, row, value)).join('\n').toLowerCase()
        for (const [word, places] of found) if (plain.includes(word.toLowerCase())) places.add(place)
      }
  }
  return Object.fromEntries([...found].map(([word, places]) => [word, [...places].sort()]))
}

/** All texts of a value: as it is stored, opened, and the text of a file. */
async function texts(ring: KeyRing, place: string, row: Row, value: unknown): Promise<string[]> {
  if (value === null || value === undefined) return []
  const context = SEALED[place]
  const isSealed = /(^|[._])sealed$/.test(place) || (typeof value === 'string' && /^v[12]\.[\w-]+\./.test(value))
  if (isSealed && !context) throw new Error(`it is unknown how to open ${place}: add it to db/core/sealed-columns.ts`)
  if (Buffer.isBuffer(value)) {
    if (!context) return [value.toString('latin1')]
    const content = openBytes(ring, value, context(row))
    const purpose = row.purpose === 'evidence_image' ? 'evidence_image' : 'evidence_file'
    const found = [content.toString('latin1')]
    await checkFile(content, purpose, (text) => found.push(text))
    return found
  }
  if (typeof value === 'string') return [context ? open(ring, value, context(row)) : value]
  if (Array.isArray(value) && value.every((one) => Buffer.isBuffer(one)))
    return value.map((one) => (one as Buffer).toString('latin1'))
  return [JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one))]
}

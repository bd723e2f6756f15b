import { sql } from 'kysely'
import { asText, fromText } from '../erasure/kept-texts.ts'
import { personHashes } from '../erasure/persons.ts'
import type { Database } from './connect.ts'
import { formOf, type KeyRing, open, openBytes, seal, sealBytes } from './seal.ts'
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns.ts'
import { keepPersonsKey, keyIdOf } from './sealing-keys.ts'
import { inTransaction } from './transaction.ts'

/** Values per transaction. A file has up to 6 MB and is in memory twice while it is re-sealed. */
const BATCH = { text: 200, bytes: 4 } as const
/** Blocks (8 KB) of a table that one statement reads. */
const BLOCKS = 64

export interface ResealProgress {
  table: string
  column: string
  /** Values of this column so far. */
  resealed: number
}

export interface Resealed {
  resealed: number
  /** Values that their key does not open: altered, or copied from another place. They stay unchanged. */
  unreadable: number
}

/**
 * Re-seals everything that older keys of the ring sealed, one transaction per batch, so that a crash loses at most one
 * batch. Locked rows are left to a further call, and nobody waits longer than one batch. A value that a writer replaces
 * meanwhile is left to the writer.
 */
export async function resealAll(
  db: Database,
  ring: KeyRing,
  report: (progress: ResealProgress) => void = () => {},
): Promise<Resealed> {
  const total: Resealed = { resealed: 0, unreadable: 0 }
  for (const column of SEALED_COLUMNS) {
    let resealed = 0
    for (let block = 0; block < (await blocksOf(db, column.table)); block += BLOCKS)
      for (let after = `(${block},0)`; ; ) {
        const batch = await inTransaction(db, (trx) => resealBatch(trx, ring, column, { after, end: block + BLOCKS }))
        total.unreadable += batch.unreadable
        resealed += batch.resealed
        if (batch.resealed > 0) report({ table: column.table, column: column.column, resealed })
        if (batch.last === null) break
        after = batch.last
      }
    total.resealed += resealed
  }
  return total
}

/** Current size: the table grows while others write. */
async function blocksOf(db: Database, table: string): Promise<number> {
  const { rows } = await sql<{ blocks: number }>`
    select (pg_relation_size(${table}::regclass) / current_setting('block_size')::int)::int as blocks`.execute(db)
  return rows[0]?.blocks ?? 0
}

interface Stale {
  at: string
  keyId: string
  sealed: string | Buffer
  hashed: boolean
  of: Record<string, string>
}

interface Batch extends Resealed {
  /** Position after this batch; null when these blocks are finished. */
  last: string | null
}

async function resealBatch(
  trx: Database,
  ring: KeyRing,
  column: SealedColumn,
  range: { after: string; end: number },
): Promise<Batch> {
  const rows = await staleRows(trx, ring, column, range)
  const fresh = rows.flatMap((row) => {
    try {
      return [{ ...row, ...resealed(ring, column, row) }]
    } catch {
      return []
    }
  })
  if (column.persons === 'file')
    for (const keyId of new Set(fresh.filter((row) => row.hashed).map((row) => row.keyId)))
      await keepPersonsKey(trx, ring, keyId)
  if (column.form === 'text') await writeTexts(trx, column, fresh)
  else
    for (const row of fresh)
      await sql`update ${sql.table(column.table)} set ${sql.ref(column.column)} = ${row.value}
        where ctid = ${row.at}::tid`.execute(trx)
  const full = rows.length === BATCH[column.form]
  return {
    resealed: fresh.length,
    unreadable: rows.length - fresh.length,
    last: full ? (rows.at(-1)?.at ?? null) : null,
  }
}

/** Locks the rows, so that they are neither moved nor changed before they are written. */
async function staleRows(
  trx: Database,
  ring: KeyRing,
  column: SealedColumn,
  { after, end }: { after: string; end: number },
): Promise<Stale[]> {
  const older = [...ring.keys.keys()].filter((keyId) => keyId !== ring.current)
  const names = column.of.flatMap((name) => [sql`${sql.lit(name)}, ${sql.ref(`t.${name}`)}::text`])
  const { rows } = await sql<Stale>`
    select t.ctid::text as at, ${keyIdOf(column)} as "keyId", t.${sql.ref(column.column)} as sealed,
      ${column.persons ? sql`t.persons <> '{}'` : sql`false`} as hashed,
      jsonb_build_object(${sql.join(names)}) as of
    from ${sql.table(column.table)} t
    where t.ctid > ${after}::tid and t.ctid < ${`(${end},0)`}::tid and t.${sql.ref(column.column)} is not null
      and ${keyIdOf(column)} = any(${older}::text[]) ${column.table === 'integration' ? NOT_ROTATED : sql``}
    order by t.ctid limit ${BATCH[column.form]} for no key update of t skip locked`.execute(trx)
  return rows
}

/** An open rotation identifies the secret that it replaces by its sealed text. */
const NOT_ROTATED = sql`and not exists (
  select from secret_rotation r where r.integration_id = t.integration_id and r.outcome is null)`

function resealed(ring: KeyRing, { form, persons, context }: SealedColumn, row: Stale) {
  const place = context(row.of)
  if (form === 'bytes')
    return { value: sealBytes(ring, openBytes(ring, row.sealed as Buffer, place), place), hashes: '' }
  const sealed = row.sealed as string
  const plain = open(ring, sealed, place)
  return {
    value: seal(ring, plain, place, formOf(sealed)),
    hashes: persons === 'text' ? asText(personHashes(ring, plain)) : '',
  }
}

async function writeTexts(
  trx: Database,
  { table, column, persons }: SealedColumn,
  fresh: { at: string; value: string | Buffer; hashes: string }[],
): Promise<void> {
  if (fresh.length === 0) return
  await sql`
    update ${sql.table(table)} t set ${sql.ref(column)} = r.sealed
      ${persons === 'text' ? sql`, persons = ${fromText('r.persons')}` : sql``}
    from unnest(${fresh.map((row) => row.at)}::text[], ${fresh.map((row) => row.value as string)}::text[],
      ${fresh.map((row) => row.hashes)}::text[]) as r(at, sealed, persons)
    where t.ctid = r.at::tid`.execute(trx)
}

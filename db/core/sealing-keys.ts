import { setTimeout as sleep } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { personsKey } from '../erasure/persons.ts'
import type { Database } from './connect.ts'
import { RETRY_MS } from './deployment.ts'
import { type KeyRing, open, seal, sealContext } from './seal.ts'
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns.ts'
import { inTransaction } from './transaction.ts'

/** Rows are sealed with a key that this process does not have. */
export class MissingKey extends Error {
  override name = 'MissingKey'

  constructor(keyId: string, rows: number) {
    super(
      `${rows} sealed values need the key ${keyId}, which is not in the key ring. ` +
        'Put it back behind the first one, and run `npm run recoup -- key reseal` before it goes.',
    )
  }
}

/** SQL for the id of the key; empty for other formats. Reads only the beginning of the value. */
export const keyIdOf = ({ column, form }: SealedColumn): RawBuilder<string> =>
  form === 'text'
    ? sql`split_part(left(t.${sql.ref(column)}, 40), '.', 2)`
    : sql`convert_from(substr(t.${sql.ref(column)}, 3, get_byte(substr(t.${sql.ref(column)}, 1, 2), 1)), 'UTF8')`

/** Number of sealed values by key. Reads every table once. */
export async function countByKey(db: Database): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  await inTransaction(db, async (trx) => {
    await sql`set local statement_timeout = 0`.execute(trx)
    for (const column of SEALED_COLUMNS) {
      const { rows } = await sql<{ keyId: string; count: number }>`
        select ${keyIdOf(column)} as "keyId", count(*)::float8 as count from ${sql.table(column.table)} t
        where t.${sql.ref(column.column)} is not null group by 1`.execute(trx)
      for (const { keyId, count } of rows) counts.set(keyId, (counts.get(keyId) ?? 0) + count)
    }
  })
  return counts
}

/** Held by starting processes, so that only the first of them counts. */
const START_LOCK = 7_205_012

/**
 * Called by each process at start: waits until the database responds and has its tables, records the keys of its ring,
 * and looks for rows of a recorded key that is missing from the ring.
 * @throws MissingKey
 */
export async function confirmKeys(db: Database, ring: KeyRing): Promise<void> {
  for (;;) {
    try {
      return await noteKeys(db, ring)
    } catch (error) {
      if (error instanceof MissingKey) throw error
      await sleep(RETRY_MS, undefined, { ref: false })
    }
  }
}

/** Records the keys of the ring. A missing key without any row is retired. @throws MissingKey */
export async function noteKeys(db: Database, ring: KeyRing): Promise<void> {
  const ids = [...ring.keys.keys()]
  if ((await missingKeys(db, ids)).length > 0)
    await inTransaction(db, async (trx) => {
      await sql`select pg_advisory_xact_lock(${START_LOCK})`.execute(trx)
      const missing = await missingKeys(trx, ids)
      if (missing.length === 0) return
      const counts = await countByKey(trx)
      for (const keyId of missing) {
        const count = counts.get(keyId) ?? 0
        if (count > 0) throw new MissingKey(keyId, count)
      }
      await sql`update sealing_key set gone_at = now() where key_id = any(${missing}::text[])`.execute(trx)
    })
  await sql`
    insert into sealing_key as k (key_id) select unnest(${ids}::text[])
    on conflict (key_id) do update set gone_at = null where k.gone_at is not null`.execute(db)
}

async function missingKeys(db: Database, ids: string[]): Promise<string[]> {
  const { rows } = await sql<{ keyId: string }>`
    select key_id as "keyId" from sealing_key where gone_at is null and key_id <> all(${ids}::text[])`.execute(db)
  return rows.map((row) => row.keyId)
}

/** Keeps the hashing key for persons of a former sealing key, for hashes that can't be recomputed. */
export async function keepPersonsKey(db: Database, ring: KeyRing, keyId: string): Promise<void> {
  const key = personsKey(ring.keys.get(keyId) as Buffer).toString('base64')
  await sql`
    insert into sealing_key as k (key_id, persons_key_sealed)
    values (${keyId}, ${seal(ring, key, sealContext.personsKey(keyId))})
    on conflict (key_id) do update set persons_key_sealed = coalesce(k.persons_key_sealed, excluded.persons_key_sealed)`.execute(
    db,
  )
}

/** Hashing keys of former sealing keys, for lookups of persons. */
export async function keptPersonsKeys(db: Database, ring: KeyRing): Promise<Buffer[]> {
  const rows = await db
    .selectFrom('sealing_key')
    .select(['key_id', 'persons_key_sealed as sealed'])
    .where('persons_key_sealed', 'is not', null)
    .execute()
  return rows.map((row) => Buffer.from(open(ring, row.sealed as string, sealContext.personsKey(row.key_id)), 'base64'))
}

import { type Kysely, sql } from 'kysely'
import { indexConcurrently } from './concurrently.ts'

/**
 * What a file shows, and which chargeback or transaction it is about: docs/decisions/0057. Only ids and a word of a
 * fixed list; the metadata itself stays sealed. Files of former versions have none, because their metadata can't be
 * read here.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`set local lock_timeout = 500`.execute(trx)
    await sql`
      alter table file add column if not exists kind text,
        add column if not exists chargeback_reference text,
        add column if not exists transaction_reference text,
        add column if not exists merchant_wide boolean not null default false`.execute(trx)
  })
  await indexConcurrently(
    db,
    'file_of_chargeback',
    'file (merchant_uuid, chargeback_reference) where chargeback_reference is not null',
  )
  await indexConcurrently(
    db,
    'file_of_transaction',
    'file (merchant_uuid, transaction_reference) where transaction_reference is not null',
  )
  await indexConcurrently(db, 'file_merchant_wide', 'file (merchant_uuid) where merchant_wide')
}

export const concurrent = true

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}

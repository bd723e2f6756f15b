import { type Kysely, sql } from 'kysely'
import { indexConcurrently } from './concurrently.ts'

/**
 * The index of the list of chargebacks, with the columns of the filters that no index has in the order of the list:
 * rows that they exclude are skipped in the index and not read.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await indexConcurrently(
    db,
    'chargeback_walk',
    `chargeback (merchant_uuid, posting_sort desc, id desc)
      include (enrichment_ratio, psp_status_change_date) where merged_into is null`,
  )
  await sql`drop index concurrently if exists chargeback_list`.execute(db)
}

export const concurrent = true

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}

import { type Kysely, sql } from 'kysely'
import { indexConcurrently } from './concurrently.ts'

/**
 * The index of chargebacks out of scope, with recommendation and due date: the list filters and sorts by them without reading
 * the rows.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await indexConcurrently(
    db,
    'chargeback_by_scope',
    `chargeback (merchant_uuid, posting_sort desc, id desc) include (roi_recommendation, due_date)
      where (scope_decision ->> 'inScope') = 'false' and merged_into is null`,
  )
  await sql`drop index concurrently if exists chargeback_out_of_scope`.execute(db)
}

export const concurrent = true

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}

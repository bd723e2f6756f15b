import type { Kysely } from 'kysely'
import { indexConcurrently } from './concurrently.ts'

/** Dry runs by chargeback and by file: a file that one names is in use, and the files of a chargeback are limited. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await indexConcurrently(db, 'evidence_plan_of_chargeback', 'evidence_plan (chargeback_id)')
  await indexConcurrently(db, 'evidence_plan_of_file', 'evidence_plan (file_id)')
}

export const concurrent = true

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}

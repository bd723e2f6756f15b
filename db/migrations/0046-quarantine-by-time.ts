import type { Kysely } from 'kysely'
import { indexConcurrently } from './concurrently.ts'

/** An index in the order of `GET /integrations/{id}/quarantine`, so that a page reads only its own rows and needs no sort. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await indexConcurrently(
    db,
    'quarantine_by_time',
    'quarantine (integration_id, last_seen_at desc, quarantine_id desc)',
  )
}

export const concurrent = true

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}

import type { Kysely } from 'kysely'
import { indexConcurrently } from './concurrently.ts'

/**
 * Integrations that are due, oldest first; and those that shards don't poll yet. Their conditions are those of
 * db/polling/due.ts.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await indexConcurrently(
    db,
    'integration_due',
    `integration (next_poll_at) where next_poll_at is not null and status = 'SUCCESSFUL' and not paused`,
  )
  await indexConcurrently(
    db,
    'integration_not_dispatched',
    `integration (integration_id) where next_poll_at is null and verified_at is not null and status <> 'INACTIVE'`,
  )
}

export const concurrent = true

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}

import { type Kysely, sql } from 'kysely'

/**
 * Time of the next poll of an integration, if shards poll it; null while a schedule does. Number of consecutive polls
 * that did not complete. The workflow of the shard that polled it last.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table integration add column next_poll_at timestamptz,
      add column poll_failures integer not null default 0,
      add column poll_workflow text;
  `.execute(db)
}

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}

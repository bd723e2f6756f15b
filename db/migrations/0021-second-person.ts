import { type Kysely, sql } from 'kysely'

/**
 * Actions that one operator requests and another one approves. Only the owner of the tables may write to `deployment`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table deployment add column second_person text[] not null default '{}'`.execute(db)
}

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}

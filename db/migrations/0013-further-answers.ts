import { type Kysely, sql } from 'kysely'

/** Kind of response that a PSP accepts although it doesn't wait for one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table chargeback add column further_answer text check (further_answer in ('appeal', 'supporting_info'))
  `.execute(db)
}

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}

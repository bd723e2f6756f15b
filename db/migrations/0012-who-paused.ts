import { type Kysely, sql } from 'kysely'

/** Who last paused or resumed an integration, when and why. Null for integrations that were paused before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table integration add column pause_changed_at timestamptz,
      add column pause_changed_by text, add column pause_reason text;
  `.execute(db)
}

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}

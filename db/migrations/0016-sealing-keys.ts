import { type Kysely, sql } from 'kysely'

/**
 * Keys that rows may be sealed with, by their ids: a process that lacks one of them must not start. The hash key of a
 * blind index outlives its sealing key where the hashed text can't be read again without parsing a file.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table sealing_key (
      key_id text primary key,
      first_used_at timestamptz not null default now(),
      -- No row was sealed with it when a process first started without it.
      gone_at timestamptz,
      persons_key_sealed text
    )
  `.execute(db)
}

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}

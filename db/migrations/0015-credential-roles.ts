import { type Kysely, sql } from 'kysely'

/**
 * Name, role and allowed addresses of a credential. Existing credentials keep all rights, from any address:
 * an empty list allows every address.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table credential add column name text not null default 'unnamed',
      add column role text not null default 'manage' check (role in ('read', 'work', 'manage')),
      add column addresses text[] not null default '{}';
  `.execute(db)
}

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}

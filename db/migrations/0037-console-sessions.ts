import { type Kysely, sql } from 'kysely'

/**
 * Sessions of the console: docs/decisions/0070. The row has the hash of the cookie and no token. `kid` is the key that
 * signed the token, so that a cut-off of the key also ends the session. No tenant sees the table.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table console_session (
      session_hash bytea primary key check (length(session_hash) = 32),
      credential_id uuid not null references credential,
      kid text not null references signing_key,
      created_at timestamptz not null,
      seen_at timestamptz not null,
      ends_at timestamptz not null
    );
    create policy scope on console_session using (case scope_kind() when 'system' then true else false end)`.execute(db)
  const { rows } = await sql<{ enforced: boolean }>`
    select relrowsecurity and relforcerowsecurity as enforced from pg_class
    where oid = 'public.chargeback'::regclass`.execute(db)
  if (rows[0]?.enforced)
    await sql`alter table console_session enable row level security, force row level security`.execute(db)
}

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}

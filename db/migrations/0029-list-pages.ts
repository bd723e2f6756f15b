import { type Kysely, sql } from 'kysely'

/**
 * Pages of PSPs' lists whose objects are all stored: docs/decisions/0044. It contains no object and no personal data.
 * Row-level security as in 0020.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table list_page (
      integration_id uuid not null references integration,
      page_key text not null,
      fingerprint bytea not null,
      translation_version integer not null,
      objects integer not null,
      next jsonb not null,
      -- 32 bits of the MD5 of each object's reference.
      object_hashes integer[] not null,
      -- From then on the page is compared even if unchanged, because one of its objects is due to be read again.
      due_at timestamptz,
      stored_at timestamptz not null default now(),
      primary key (integration_id, page_key)
    )`.execute(db)
  await sql`
    create policy scope on list_page using (scope_system() or exists (
      select from integration of_parent where of_parent.integration_id = list_page.integration_id))`.execute(db)
  const { rows } = await sql<{ enforced: boolean }>`
    select relrowsecurity and relforcerowsecurity as enforced from pg_class
    where oid = 'public.chargeback'::regclass`.execute(db)
  if (rows[0]?.enforced)
    await sql`alter table list_page enable row level security, force row level security`.execute(db)
}

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}

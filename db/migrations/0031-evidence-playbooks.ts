import { type Kysely, sql } from 'kysely'

/**
 * Accounts' own sentences for playbooks: docs/decisions/0059. Append-only as the audit trail, because a package of
 * evidence names the version that it was made from. No personal data. Row-level security as in 0022: all merchants of an
 * account have its sentences.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table evidence_playbook (
      account_id uuid not null references account,
      play text not null,
      version integer not null check (version > 0),
      body jsonb not null,
      created_by text not null,
      created_at timestamptz not null default now(),
      primary key (account_id, play, version)
    );
    create trigger evidence_playbook_append_only before update or delete or truncate on evidence_playbook
      for each statement execute function refuse_change();
    alter table evidence_playbook enable always trigger evidence_playbook_append_only;
    create policy scope on evidence_playbook using (case scope_kind() when 'system' then true
      when 'merchant' then account_id = left(current_setting('recoup.scope'), 36)::uuid
      when 'account' then account_id = left(current_setting('recoup.scope'), 36)::uuid else false end)`.execute(db)
  const { rows } = await sql<{ enforced: boolean }>`
    select relrowsecurity and relforcerowsecurity as enforced from pg_class
    where oid = 'public.chargeback'::regclass`.execute(db)
  if (rows[0]?.enforced)
    await sql`alter table evidence_playbook enable row level security, force row level security`.execute(db)
}

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}

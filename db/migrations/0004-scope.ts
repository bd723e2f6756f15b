import { type Kysely, sql } from 'kysely'

/**
 * Out-of-scope rules of integrations: every saved version stays as it was, with who and when. The integration names the
 * current one (0: none was ever saved), and counts how often its chargebacks were to be evaluated again and up to which
 * count they were. A chargeback keeps why it is in or out of scope; null says that the contract represents it by
 * default.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table scope_version (
      integration_id uuid not null references integration,
      version integer not null check (version > 0),
      rules jsonb not null,
      -- The parent whose rules a new child started with.
      copied_from uuid references integration,
      credential_id uuid,
      saved_at timestamptz not null default now(),
      primary key (integration_id, version)
    );
    create function scope_version_stays() returns trigger language plpgsql as
      $$ begin raise exception 'a saved version of scope rules never changes'; end $$;
    create trigger scope_version_immutable before update or delete on scope_version
      for each statement execute function scope_version_stays();

    alter table integration
      add column scope_version integer not null default 0,
      add column scope_asked bigint not null default 0,
      add column scope_done bigint not null default 0;
    create index integration_scope_undone on integration (integration_id) where scope_done < scope_asked;

    alter table chargeback
      add column scope_decision jsonb,
      add column should_fight_at timestamptz,
      add column should_fight_by uuid;
    -- What can still change, for everything that is decided again in slices.
    create index chargeback_changeable on chargeback (integration_id, id)
      where psp_status in ('needs_response', 'unknown');
    -- The codes that a merchant's chargebacks have are found by leaps through this index.
    create index chargeback_reason_code on chargeback (merchant_uuid, reason_code) where reason_code is not null;
  `.execute(db)
}

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore the database as it was before.')
}

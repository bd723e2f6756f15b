import { type Kysely, sql } from 'kysely'

/**
 * Out-of-scope rules of integrations: every saved version is immutable and shows who saved it and when. The integration
 * has the current version (0: none was saved), the number of requested evaluations of its chargebacks, and the number
 * of those that are done. A chargeback stores why it is in or out of scope; null: the account setting `represent` is
 * on.
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
    -- Chargebacks that can still change, for evaluations in slices.
    create index chargeback_changeable on chargeback (integration_id, id)
      where psp_status in ('needs_response', 'unknown');
    -- For a skip scan of the distinct reason codes of a merchant's chargebacks.
    create index chargeback_reason_code on chargeback (merchant_uuid, reason_code) where reason_code is not null;
  `.execute(db)
}

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore the database as it was before.')
}

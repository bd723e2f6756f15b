import { type Kysely, sql } from 'kysely'

/**
 * Sealed columns (`…_sealed`) hold AES-256-GCM text made by `db/core/seal.ts`: secrets, personal data and everything a
 * PSP sent. No other column may hold personal data or a secret.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table account (
      account_id uuid primary key,
      name text not null,
      settings jsonb not null default '{}',
      revocation_epoch integer not null default 0,
      created_at timestamptz not null default now()
    );
    create table merchant (
      merchant_uuid uuid primary key,
      account_id uuid not null references account,
      reference_id text not null,
      merchant_name text not null,
      website_url text not null,
      contact_sealed text not null,
      mcc text,
      mcc_description text,
      activation_date timestamptz,
      deactivation_type text check (deactivation_type in ('postingDate', 'dueDate')),
      deactivation_date timestamptz,
      created_at timestamptz not null default now(),
      unique (account_id, reference_id)
    );
    create table merchant_group (
      group_id uuid primary key,
      account_id uuid not null references account,
      name text not null,
      created_at timestamptz not null default now()
    );
    create table merchant_group_member (
      group_id uuid not null references merchant_group,
      merchant_uuid uuid not null references merchant,
      primary key (group_id, merchant_uuid)
    );
    create table signing_key (
      kid text primary key,
      public_key text not null,
      private_key_sealed text not null,
      created_at timestamptz not null default now(),
      retired_at timestamptz
    );
    create table credential (
      credential_id uuid primary key,
      account_id uuid not null references account,
      scope text not null check (scope in ('account', 'group', 'merchant')),
      group_id uuid references merchant_group,
      merchant_uuid uuid references merchant,
      expires_at timestamptz not null,
      last_used_at timestamptz,
      revoked_at timestamptz,
      created_at timestamptz not null default now(),
      check ((scope = 'group') = (group_id is not null) and (scope = 'merchant') = (merchant_uuid is not null))
    );

    create table integration (
      integration_id uuid primary key,
      merchant_uuid uuid not null references merchant,
      source text not null,
      integration_name text not null,
      external_identifier text not null,
      secret_type text not null,
      secret_sealed text not null,
      status text not null default 'PENDING' check (status in ('PENDING', 'SUCCESSFUL', 'FAILED', 'INACTIVE')),
      status_reason text,
      status_changed_at timestamptz not null default now(),
      psp_account text,
      findings jsonb not null default '[]',
      go_live_date timestamptz,
      go_live_waits boolean not null default false,
      merchant_account_codes text[] not null default '{}',
      parent_integration_id uuid references integration,
      deactivation_type text check (deactivation_type in ('postingDate', 'dueDate')),
      deactivation_date timestamptz,
      created_at timestamptz not null default now(),
      paused boolean not null default false,
      verified_at timestamptz,
      checked_at timestamptz,
      authentication_failures integer not null default 0,
      cursor_version integer,
      cursor jsonb,
      polled_at timestamptz,
      last_successful_poll_at timestamptz,
      poll_error text,
      lease_owner text,
      lease_until timestamptz,
      fence bigint not null default 0
    );
    create unique index integration_identifier on integration (merchant_uuid, source, external_identifier)
      where status <> 'INACTIVE';
    create index integration_of_merchant on integration (merchant_uuid, created_at desc, integration_id desc);
    create index integration_status on integration (status);

    create table chargeback (
      id uuid primary key,
      merchant_uuid uuid not null references merchant,
      integration_id uuid not null references integration,
      chargeback_id text not null,
      psp text not null,
      currency text not null,
      amount_minor bigint not null,
      amount_exponent smallint not null check (amount_exponent between 0 and 4),
      posting_date timestamptz,
      posting_sort timestamptz not null generated always as (coalesce(posting_date, '-infinity')) stored,
      transaction_created_date timestamptz,
      due_date timestamptz,
      psp_status text not null,
      psp_status_change_date timestamptz,
      psp_sequence bigint,
      status text not null,
      status_reason text not null,
      lifecycle_stage text not null,
      round integer not null default 1,
      transaction_id text,
      arn text,
      external_transaction_identifier text,
      merchant_reference_name text,
      reason_code text,
      reason text,
      reason_group text not null,
      card_scheme text,
      payment_method text,
      bin text,
      card_last_four_digits text,
      billing_country text,
      data_points text[] not null default '{}',
      enrichment_ratio numeric(5, 4) not null default 0,
      is_enriched boolean not null default false,
      context_at timestamptz,
      context_after timestamptz not null default now(),
      context_attempts integer not null default 0,
      win_probability numeric(4, 1),
      roi_recommendation text,
      should_fight boolean,
      anomalies text[] not null default '{}',
      content_hash bytea not null,
      read_at timestamptz not null,
      translation_version integer not null,
      version bigint not null default 1,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (integration_id, chargeback_id)
    );
    create index chargeback_list on chargeback (merchant_uuid, posting_sort desc, id desc);
    create index chargeback_by_status on chargeback (merchant_uuid, status, posting_sort desc, id desc);
    create index chargeback_by_psp_status on chargeback (merchant_uuid, psp_status, posting_sort desc, id desc);
    create index chargeback_by_psp_id on chargeback (merchant_uuid, chargeback_id);
    create index chargeback_by_status_change on chargeback (merchant_uuid, psp_status_change_date);
    create index chargeback_without_context on chargeback (integration_id, context_after) where context_at is null;
    create index chargeback_open on chargeback (integration_id, posting_date)
      where psp_status in ('needs_response', 'under_review', 'unknown');
    create index chargeback_undecided on chargeback (due_date)
      where status in ('waiting_for_data', 'building_evidence');

    create table raw_object (
      integration_id uuid not null references integration,
      kind text not null check (kind in ('dispute', 'context')),
      reference text not null,
      sealed text not null,
      fetched_at timestamptz not null default now(),
      primary key (integration_id, kind, reference)
    );
    create table quarantine (
      quarantine_id bigint generated always as identity primary key,
      integration_id uuid not null references integration,
      hash bytea not null,
      reference text,
      reason text not null,
      sealed text not null,
      translation_version integer not null,
      first_seen_at timestamptz not null default now(),
      last_seen_at timestamptz not null default now(),
      seen integer not null default 1,
      unique (integration_id, hash)
    );
    create table timeline_event (
      timeline_event_id bigint generated always as identity primary key,
      merchant_uuid uuid not null,
      chargeback_id uuid not null references chargeback,
      "when" timestamptz not null default now(),
      source text not null,
      what text not null,
      before jsonb,
      after jsonb
    );
    create index timeline_of_chargeback on timeline_event (chargeback_id, timeline_event_id);

    create table command (
      command_id uuid primary key,
      kind text not null check (kind in ('acceptance', 'evidence_submission')),
      merchant_uuid uuid not null references merchant,
      chargeback_id uuid not null references chargeback,
      round integer not null,
      credential_id uuid,
      status text not null default 'created' check (status in ('created', 'inProgress', 'failed', 'succeeded')),
      requested_at timestamptz not null default now(),
      deadline timestamptz not null,
      completed_at timestamptz,
      error text,
      error_code text,
      needs_attention boolean not null default false,
      attention_reason text,
      attention_at timestamptz,
      checked_at timestamptz,
      version bigint not null default 1
    );
    create unique index command_one_per_round on command (chargeback_id, round) where status <> 'failed';
    create index command_of_chargeback on command (chargeback_id, kind, requested_at desc);
    create index command_unfinished on command (requested_at) where status in ('created', 'inProgress');

    create table psp_operation (
      psp_operation_id uuid primary key,
      command_id uuid not null references command,
      effect text not null unique,
      idempotency_key text not null unique,
      generation integer not null default 1,
      state text not null check (state in ('intent', 'submitting', 'confirmed', 'rejected', 'unknown')),
      attempts integer not null default 0,
      first_sent_at timestamptz,
      last_sent_at timestamptz,
      psp_request_id text,
      outcome text
    );

    create table outbox (
      outbox_id bigint generated always as identity primary key,
      kind text not null,
      payload jsonb not null,
      created_at timestamptz not null default now(),
      attempts integer not null default 0,
      next_attempt_at timestamptz not null default now(),
      last_error text
    );
    create index outbox_due on outbox (next_attempt_at);
    create function outbox_notify() returns trigger language plpgsql as
      $$ begin perform pg_notify('outbox', ''); return null; end $$;
    create trigger outbox_inserted after insert on outbox for each statement execute function outbox_notify();

    create table rate_bucket (
      bucket text primary key,
      tokens double precision not null,
      refilled_at timestamptz not null default now(),
      blocked_until timestamptz
    );
    -- Unlogged, so that no request waits for the disk: the counts of a minute need not survive a crash.
    create unlogged table request_count (
      key text primary key,
      points integer not null default 0,
      expire bigint
    );
    create table idempotency_key (
      credential_id uuid not null,
      merchant_uuid uuid,
      key text not null,
      request_hash bytea not null,
      status integer,
      answer_sealed text,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      unique nulls not distinct (credential_id, merchant_uuid, key)
    );
    create index idempotency_key_expiry on idempotency_key (expires_at);
  `.execute(db)
}

export async function down(): Promise<void> {
  throw new Error('There is no way back from the first migration: drop the database instead.')
}

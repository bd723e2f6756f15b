import { type Kysely, sql } from 'kysely'

/**
 * Client data about purchases and chargebacks. Values are sealed; only the search keys of records (transaction id, ARN,
 * BIN, last four digits, time) and the names of the fields that are present are in plain text.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table transaction_record (
      transaction_record_id uuid primary key,
      merchant_uuid uuid not null references merchant,
      transaction_id text not null,
      arn text,
      bin text,
      card_last_four_digits text,
      transaction_created_date timestamptz,
      data_points text[] not null default '{}',
      sealed text not null,
      persons bytea[] not null default '{}',
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (merchant_uuid, transaction_id)
    );
    create index transaction_record_by_arn on transaction_record (merchant_uuid, arn) where arn is not null;
    create index transaction_record_by_card on transaction_record
      (merchant_uuid, card_last_four_digits, transaction_created_date) where card_last_four_digits is not null;
    create index transaction_record_recent on transaction_record (updated_at);
    create index transaction_record_persons on transaction_record using gin (persons);

    create table client_data (
      chargeback_id uuid primary key references chargeback,
      merchant_uuid uuid not null references merchant,
      data_points text[] not null default '{}',
      sealed text not null,
      persons bytea[] not null default '{}',
      updated_at timestamptz not null default now()
    );
    create index client_data_persons on client_data using gin (persons);

    alter table chargeback
      -- Data points of the PSP's transaction: data_points is the union of these, the client's and the joined records'.
      add column context_points text[] not null default '{}',
      -- Facts that decide cases (domain/assessment-defaults), found in the client's data.
      add column signals text[] not null default '{}',
      -- Evidence was submitted in this round, so that the outcome counts for contested cases.
      add column answered boolean not null default false;
    update chargeback set context_points = data_points, answered = psp_status in ('under_review', 'won', 'split');

    create index chargeback_by_transaction on chargeback (merchant_uuid, transaction_id) where transaction_id is not null;
    create index chargeback_by_external_transaction on chargeback (merchant_uuid, external_transaction_identifier)
      where external_transaction_identifier is not null;
    create index chargeback_by_arn on chargeback (merchant_uuid, arn) where arn is not null;
    create index chargeback_open_by_card on chargeback (merchant_uuid, card_last_four_digits)
      where psp_status = 'needs_response' and card_scheme = 'visa';
    create index chargeback_closed on chargeback (merchant_uuid, reason_group, psp_status)
      where answered and psp_status in ('won', 'lost', 'split');

    -- The time orders rows of one transaction; rows of one chargeback are written under its lock.
    alter table timeline_event alter column "when" set default clock_timestamp();
    create function timeline_is_append_only() returns trigger language plpgsql as
      $$ begin raise exception 'timeline_event is append-only' using errcode = 'restrict_violation'; end $$;
    create trigger timeline_append_only before update or delete on timeline_event
      for each row execute function timeline_is_append_only();
    create trigger timeline_not_truncated before truncate on timeline_event
      for each statement execute function timeline_is_append_only();
  `.execute(db)
}

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore the database as it was before.')
}

import { type Kysely, sql } from 'kysely'

/**
 * Pre-chargeback alerts with their outcomes, and raw data that clients posted to a sandbox. `alert` has the same kind
 * of facts in plain text as `chargeback`; comments and raw data may contain personal data and are sealed, next to blind
 * indexes of their e-mail addresses.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table alert (
      alert_id uuid primary key,
      merchant_uuid uuid not null references merchant,
      integration_id uuid not null references integration,
      reference text not null,
      chargeback_id uuid references chargeback,
      provider_name text check (provider_name in ('Verifi RDR', 'Verifi CDRN', 'Ethoca')),
      psp text not null,
      currency text,
      amount_minor bigint,
      amount_exponent smallint check (amount_exponent between 0 and 4),
      alert_date timestamptz,
      transaction_id text,
      arn text,
      external_transaction_identifier text,
      reason_code text,
      reason text,
      fraud_type text,
      card_scheme text,
      payment_method text,
      bin text,
      card_last_four_digits text,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      unique (integration_id, reference),
      check ((amount_minor is null) = (amount_exponent is null) and (amount_minor is null) = (currency is null))
    );
    create index alert_list on alert (merchant_uuid, created_at desc, alert_id desc);
    create index alert_of_chargeback on alert (chargeback_id) where chargeback_id is not null;
    -- Existing alerts; their provider is set when they are translated again.
    insert into alert (alert_id, merchant_uuid, integration_id, reference, chargeback_id, psp, currency, amount_minor,
      amount_exponent, alert_date, transaction_id, arn, external_transaction_identifier, reason_code, reason,
      card_scheme, payment_method, bin, card_last_four_digits)
    select gen_random_uuid(), merchant_uuid, integration_id, chargeback_id, id, psp, currency, amount_minor,
      amount_exponent, posting_date, transaction_id, arn, external_transaction_identifier, reason_code, reason,
      card_scheme, payment_method, bin, card_last_four_digits
    from chargeback where lifecycle_stage = 'alert';

    -- Append-only: the newest row is in force. Only an interim outcome is followed by another.
    create table alert_outcome (
      alert_outcome_id uuid primary key,
      alert_id uuid not null references alert,
      position bigint generated always as identity,
      refunded text,
      outcome text,
      comments_sealed text,
      persons bytea[] not null default '{}',
      credential_id uuid not null,
      created_at timestamptz not null default now(),
      check (refunded is not null or outcome is not null)
    );
    create index outcome_of_alert on alert_outcome (alert_id, position desc);
    create index alert_outcome_persons on alert_outcome using gin (persons);

    create table ingestion (
      ingestion_id uuid primary key,
      merchant_uuid uuid not null references merchant,
      integration_id uuid not null references integration,
      credential_id uuid not null,
      data_source text not null,
      data_source_version text not null,
      data_type text not null,
      reference text not null,
      -- Ids of chargebacks and transactions that a record names.
      about text[] not null default '{}',
      request_timestamp timestamptz not null,
      sealed text,
      persons bytea[] not null default '{}',
      status text not null default 'created' 
        check (status in ('created', 'waiting', 'applied', 'ignored', 'failed')),
      reason text,
      created_at timestamptz not null default now(),
      processed_at timestamptz
    );
    create index ingestion_of_reference on ingestion (integration_id, data_type, reference, request_timestamp desc);
    create index ingestion_unprocessed on ingestion (created_at) where status in ('created', 'waiting');
    create index ingestion_persons on ingestion using gin (persons);
  `.execute(db)
}

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore the database as it was before.')
}

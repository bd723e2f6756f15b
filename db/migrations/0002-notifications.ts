import { type Kysely, sql } from 'kysely'

/**
 * Notifications of PSPs, and when each chargeback is read again without one. The body of a notification is sealed like
 * every object of a PSP; only ids are in plain text. Positions grow in the order of commits within one integration,
 * because each insert first locks its integration's row: a reader that goes by position misses none.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table notification (
      position bigint generated always as identity primary key,
      integration_id uuid not null references integration,
      notification_id text not null,
      type text not null,
      "references" text[] not null,
      sealed text not null,
      received_at timestamptz not null default now(),
      unique (integration_id, notification_id)
    );
    create index notification_inbox on notification (integration_id, position);
    create index notification_about on notification using gin ("references");

    create table reread (
      integration_id uuid not null references integration,
      reference text not null,
      asked_at timestamptz not null default clock_timestamp(),
      attempts integer not null default 0,
      next_attempt_at timestamptz not null default now(),
      primary key (integration_id, reference)
    );

    create table drift_report (
      integration_id uuid primary key references integration,
      asked_at timestamptz not null default now(),
      completed_at timestamptz,
      error text,
      report jsonb
    );

    alter table integration
      add column notification_at timestamptz,
      add column notifications_refused bigint not null default 0,
      add column notification_refused_at timestamptz;

    alter table chargeback add column reread_after timestamptz;
    -- Existing chargebacks are read again within a day, not all at once.
    update chargeback set reread_after = now() + random() * interval '1 day';
    create index chargeback_reread on chargeback (integration_id, reread_after) where reread_after is not null;
  `.execute(db)
}

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore the database as it was before.')
}

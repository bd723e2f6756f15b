import { type Kysely, sql } from 'kysely'

/**
 * Deactivation of merchants and integrations. The date may be changed until it is reached. Each change is a new
 * revision, as is each change of a go-live date, so that decisions by earlier dates can be detected.
 * `deactivated_at` is set when everything that follows from the date is done; until then the sweep continues.
 * `persons` is the blind index of the contact's e-mail address, see db/erasure/persons.ts.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table merchant
      add column persons bytea[] not null default '{}',
      add column deactivation_revision integer not null default 0,
      add column deactivation_asked_at timestamptz,
      add column deactivation_credential_id uuid,
      add column deactivation_checked_at timestamptz,
      add column deactivated_at timestamptz;
    alter table integration
      add column deactivation_revision integer not null default 0,
      add column deactivation_asked_at timestamptz,
      add column deactivation_credential_id uuid,
      add column deactivation_checked_at timestamptz,
      add column deactivated_at timestamptz,
      add column secret_erased_at timestamptz,
      add column go_live_revision integer not null default 0;
    create index merchant_of_account on merchant (account_id, created_at desc, merchant_uuid desc);
    create index merchant_persons on merchant using gin (persons);
    create index merchant_deactivation on merchant (deactivation_date)
      where deactivation_date is not null and deactivated_at is null;
    create index integration_deactivation on integration (deactivation_date)
      where deactivation_date is not null and deactivated_at is null;
    create index integration_with_needless_secret on integration (deactivated_at)
      where status = 'INACTIVE' and secret_erased_at is null;
  `.execute(db)
}

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore the database as it was before.')
}

import { type Kysely, sql } from 'kysely'

/**
 * Rotation of an integration's secret: the sealed candidate until it is checked, and after the rotation the part of the
 * old secret that verifies notifications, for the overlap. A rotation that has ended holds no secret.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table integration add column secret_replaced_at timestamptz;

    create table secret_rotation (
      rotation_id uuid primary key,
      integration_id uuid not null references integration,
      credential_id uuid,
      integration_name text,
      secret_type text not null,
      secret_sealed text,
      requested_at timestamptz not null default now(),
      expires_at timestamptz not null,
      outcome text check (outcome in ('replaced', 'refused', 'withdrawn')),
      code text,
      reason text,
      ended_at timestamptz,
      check ((outcome is null) = (secret_sealed is not null)),
      check ((outcome is null) = (ended_at is null))
    );
    create unique index secret_rotation_open on secret_rotation (integration_id) where outcome is null;
    create index secret_rotation_ended on secret_rotation (ended_at);

    create table kept_verification (
      rotation_id uuid primary key references secret_rotation,
      integration_id uuid not null references integration,
      sealed text not null,
      accepted_until timestamptz not null
    );
    create index kept_verification_of on kept_verification (integration_id);
    create index kept_verification_until on kept_verification (accepted_until);
  `.execute(db)
}

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}

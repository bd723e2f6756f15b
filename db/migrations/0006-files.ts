import { type Kysely, sql } from 'kysely'

/**
 * Files of merchants, requests to erase a person, and for these a blind index (`persons`, see db/erasure/persons.ts)
 * next to every sealed column that may hold personal data. Only rows with an e-mail address are indexed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table file (
      file_id uuid primary key,
      merchant_uuid uuid not null references merchant,
      purpose text not null check (purpose in ('evidence_file', 'evidence_image')),
      type text not null,
      bytes integer not null check (bytes > 0),
      sha256 bytea not null,
      md5 bytea,
      name_sealed text,
      metadata_sealed text,
      content_sealed bytea,
      persons bytea[] not null default '{}',
      created_at timestamptz not null default now(),
      erased_at timestamptz,
      check ((erased_at is null) = (content_sealed is not null) and (erased_at is null) = (name_sealed is not null))
    );
    -- Sealed content can't be compressed.
    alter table file alter column content_sealed set storage external;
    create index file_of_merchant on file (merchant_uuid, created_at desc);
    create index file_persons on file using gin (persons) where persons <> '{}';

    alter table raw_object add column persons bytea[] not null default '{}';
    create index raw_object_persons on raw_object using gin (persons) where persons <> '{}';
    alter table quarantine add column persons bytea[] not null default '{}';
    create index quarantine_persons on quarantine using gin (persons) where persons <> '{}';
    alter table notification add column persons bytea[] not null default '{}';
    create index notification_persons on notification using gin (persons) where persons <> '{}';
    alter table idempotency_key add column persons bytea[] not null default '{}';
    create index idempotency_key_persons on idempotency_key using gin (persons) where persons <> '{}';

    create table removal (
      removal_id uuid primary key,
      merchant_uuid uuid not null references merchant,
      credential_id uuid,
      status text not null default 'created' check (status in ('created', 'inProgress', 'succeeded')),
      person_sealed text,
      requested_at timestamptz not null default now(),
      checked_at timestamptz,
      completed_at timestamptz,
      -- Number of erased values by place: the only data that remain afterwards.
      proof jsonb not null default '{}',
      check ((status = 'succeeded') = (person_sealed is null))
    );
    create index removal_unfinished on removal (requested_at) where status <> 'succeeded';

    -- The key outlives every key of the ring, because hashes of erased persons can't be computed again.
    create table erasure_key (
      one boolean primary key default true check (one),
      key_sealed text not null
    );
    create table erased_subject (
      subject_id uuid primary key,
      merchant_uuid uuid not null references merchant,
      email bytea not null,
      first_name bytea not null,
      last_name bytea not null,
      erased_at timestamptz not null default now(),
      unique (merchant_uuid, email, first_name, last_name)
    );
    create table erased_reference (
      integration_id uuid not null references integration,
      reference text not null,
      subject_id uuid not null references erased_subject,
      told boolean not null default false,
      primary key (integration_id, reference, subject_id)
    );
    create index erased_reference_of_subject on erased_reference (subject_id);
  `.execute(db)
}

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore the database as it was before.')
}

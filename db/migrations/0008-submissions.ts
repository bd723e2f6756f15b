import { type Kysely, sql } from 'kysely'

/**
 * Content of an evidence submission (a row of `command`), fixed before anything is sent: the requirements of the
 * dispute, the plan, what was omitted. Texts may contain personal data: they are sealed, and found by `persons`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table evidence_submission (
      command_id uuid primary key references command,
      file_id uuid not null,
      planned_at timestamptz,
      requirements jsonb,
      plan jsonb,
      texts_sealed text,
      persons bytea[] not null default '{}'
    );
    create index evidence_submission_of_file on evidence_submission (file_id);
    create index evidence_submission_persons on evidence_submission using gin (persons);

    create table evidence_upload (
      command_id uuid not null references evidence_submission,
      field text not null,
      sha256 text not null,
      psp_file text not null,
      uploaded_at timestamptz not null default now(),
      primary key (command_id, field)
    );

    create table evidence_plan (
      plan_id uuid primary key,
      merchant_uuid uuid not null references merchant,
      chargeback_id uuid not null references chargeback,
      file_id uuid not null,
      requested_at timestamptz not null default now(),
      answer jsonb
    );
    create index evidence_plan_age on evidence_plan (requested_at);

    create index psp_operation_of_command on psp_operation (command_id);
    alter table command add column due_soon_at timestamptz;
    create index command_attention on command (requested_at) where needs_attention;
  `.execute(db)
}

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}

import { type Kysely, sql } from 'kysely'

/**
 * The audit trail of operators: who did what, when, on what and why. Append-only: the trigger refuses other changes,
 * also by the tables' owner and during replication. `operator_request`: actions that wait for a second person.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table operator_action (
      operator_action_id bigint generated always as identity primary key,
      acted_at timestamptz not null default now(),
      operator text not null,
      -- Unlike the name, it can't be forged.
      database_role text not null default session_user,
      action text not null,
      outcome text not null check (outcome in ('started', 'done', 'requested', 'approved')),
      subject text,
      reason text,
      details jsonb not null default '{}'
    );
    create index operator_action_of_subject on operator_action (subject, operator_action_id);
    create function refuse_change() returns trigger language plpgsql as
      $$ begin
        raise exception 'table % is append-only: its rows are neither changed nor removed', tg_table_name
          using errcode = 'integrity_constraint_violation';
      end $$;
    create trigger operator_action_append_only before update or delete or truncate on operator_action
      for each statement execute function refuse_change();
    alter table operator_action enable always trigger operator_action_append_only;

    create table operator_request (
      request_id uuid primary key,
      action text not null,
      subject text,
      parameters jsonb not null,
      operator text not null,
      reason text not null,
      requested_at timestamptz not null default now(),
      expires_at timestamptz not null,
      approved_by text,
      approved_at timestamptz,
      done_at timestamptz,
      check ((approved_by is null) = (approved_at is null)),
      check (done_at is null or approved_at is not null)
    );
  `.execute(db)
}

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}

import { type Kysely, sql } from 'kysely'
import { indexConcurrently } from './concurrently.ts'

const ofMerchant = `merchant_uuid = right(current_setting('recoup.scope'), 36)::uuid`

/**
 * The event log: docs/decisions/0065. It has ids only: no body, no personal data. Timeline rows from before have no
 * `xid` and become no events. Row-level security as in 0022.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const locking = (work: (trx: Kysely<unknown>) => Promise<unknown>) =>
    db.transaction().execute(async (trx) => {
      await sql`set local lock_timeout = 500`.execute(trx)
      await work(trx)
    })
  // In two steps: a column that is added with this default would be filled in, which rewrites the table.
  await locking((trx) => sql`alter table timeline_event add column if not exists xid xid8`.execute(trx))
  await locking((trx) => sql`alter table timeline_event alter column xid set default pg_current_xact_id()`.execute(trx))
  await indexConcurrently(db, 'timeline_order', 'timeline_event (xid, timeline_event_id) where xid is not null')
  await locking((trx) => sql`alter table integration add column if not exists first_loaded_at timestamptz`.execute(trx))
  await locking((trx) =>
    sql`alter table chargeback add column if not exists reminded_due_date timestamptz,
      add column if not exists reminded_hours smallint`.execute(trx),
  )
  await locking(async (trx) => {
    await sql`
      -- In the order of the positions; position and the row of event_state are written in one transaction.
      create table if not exists event (
        position bigint primary key,
        event_id uuid not null unique,
        merchant_uuid uuid not null,
        type text not null,
        -- The chargeback, command, alert, integration, merchant, removal or endpoint.
        subject uuid not null,
        -- The chargeback whose timeline has the changes, and the first and last of these rows.
        chargeback_id uuid,
        timeline_from bigint unique,
        timeline_to bigint,
        quiet boolean not null default false,
        occurred_at timestamptz not null,
        unique (merchant_uuid, position)
      );
      -- Events without a timeline, until they have a position.
      create table if not exists event_line (
        event_line_id bigint generated always as identity primary key,
        merchant_uuid uuid not null,
        type text not null,
        subject uuid not null,
        occurred_at timestamptz not null default now()
      );
      create table if not exists event_state (
        only_row boolean primary key default true check (only_row),
        -- Of the last event.
        position bigint not null default 0,
        -- Of the last event that was deleted because of its age.
        expired_position bigint not null default 0,
        -- All timeline rows of transactions below have a position.
        next_xid xid8 not null default '0',
        -- The greatest row that has a position, and the greatest of the former cluster.
        last_timeline_event bigint not null default 0,
        restored_timeline_event bigint not null default 0,
        -- Of the database cluster that gave the last position.
        system_identifier bigint,
        wal_timeline text
      );
      insert into event_state default values on conflict do nothing`.execute(trx)
    for (const table of ['event', 'event_line']) {
      await sql`drop policy if exists scope on ${sql.table(table)}`.execute(trx)
      await sql`create policy scope on ${sql.table(table)} using (case scope_kind() when 'system' then true
        when 'merchant' then ${sql.raw(ofMerchant)} else false end)`.execute(trx)
    }
    const { rows } = await sql<{ enforced: boolean }>`
      select relrowsecurity and relforcerowsecurity as enforced from pg_class
      where oid = 'public.chargeback'::regclass`.execute(trx)
    if (rows[0]?.enforced)
      for (const table of ['event', 'event_line'])
        await sql`alter table ${sql.table(table)} enable row level security, force row level security`.execute(trx)
  })
}

export const concurrent = true

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}

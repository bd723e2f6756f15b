import { type Kysely, sql } from 'kysely'
import { indexConcurrently } from './concurrently.ts'

/**
 * Who changed which setting of a merchant, and an index for what people did to its chargebacks: docs/decisions/0075.
 * Repeatable: the indexes are built outside of a transaction.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table if not exists setting_event (
      position bigint generated always as identity primary key,
      merchant_uuid uuid not null references merchant,
      at timestamptz not null default now(),
      credential_id uuid not null references credential,
      what text not null,
      -- The integration; null: the merchant itself.
      subject uuid,
      -- Words and figures of settings; never names, addresses or other free text.
      details jsonb not null default '{}'
    );
    create or replace trigger setting_event_append_only before update or delete or truncate on setting_event
      for each statement execute function refuse_change();
    alter table setting_event enable always trigger setting_event_append_only`.execute(db)
  await secure(db)
  await indexConcurrently(db, 'setting_event_of_merchant', 'setting_event (merchant_uuid, at, position)')
  await indexConcurrently(
    db,
    'timeline_of_people',
    `timeline_event (merchant_uuid, "when", timeline_event_id) where source in ('api', 'operator')
      and what not in ('status changed', 'assessment changed')`,
  )
}

/** Row-level security as in 0022. */
async function secure(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ exists: boolean; enforced: boolean }>`
    select exists (select from pg_policies where schemaname = 'public' and tablename = 'setting_event') as exists,
      relrowsecurity and relforcerowsecurity as enforced from pg_class where oid = 'public.chargeback'::regclass`.execute(
    db,
  )
  if (!rows[0]?.exists)
    await sql`
      create policy scope on setting_event using (case scope_kind() when 'system' then true
        when 'merchant' then merchant_uuid = right(current_setting('recoup.scope'), 36)::uuid else false end)`.execute(
      db,
    )
  if (rows[0]?.enforced)
    await sql`alter table setting_event enable row level security, force row level security`.execute(db)
}

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}

export const concurrent = true

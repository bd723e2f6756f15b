import { type Kysely, sql } from 'kysely'

const ofEndpoint = (table: string) =>
  `exists (select from webhook_endpoint of_parent where of_parent.endpoint_id = ${table}.endpoint_id)`

/** What the scope of a merchant and that of an account itself see: as in 0022. */
const POLICIES: Record<string, { merchant: string; account: string }> = {
  webhook_endpoint: {
    merchant: `merchant_uuid = right(current_setting('recoup.scope'), 36)::uuid`,
    account: `account_id = left(current_setting('recoup.scope'), 36)::uuid`,
  },
  webhook_endpoint_event: {
    merchant: ofEndpoint('webhook_endpoint_event'),
    account: ofEndpoint('webhook_endpoint_event'),
  },
  webhook_delivery: { merchant: ofEndpoint('webhook_delivery'), account: ofEndpoint('webhook_delivery') },
}

/** Outgoing webhooks: docs/decisions/0066. No body, no response and no person is stored. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table webhook_endpoint (
      endpoint_id uuid primary key,
      account_id uuid not null references account,
      -- Null: all merchants of the account.
      merchant_uuid uuid references merchant,
      -- The client's words, as the description; shown only to those who may read the endpoint.
      url text not null,
      description text,
      events text[] not null,
      payload text not null check (payload in ('full', 'thin')),
      signature text not null check (signature in ('hmac', 'ed25519')),
      -- Erased when the endpoint is deleted.
      keys_sealed text,
      public_key text,
      old_keys_sealed text,
      old_keys_until timestamptz,
      created_at timestamptz not null default now(),
      disabled_at timestamptz,
      disabled_reason text,
      deleted_at timestamptz,
      last_success_at timestamptz,
      last_failure_at timestamptz,
      last_failure_status smallint,
      last_failure_kind text,
      -- Attempts in a row without a 2xx, and the time of the first of them.
      failures integer not null default 0,
      failing_since timestamptz,
      -- When it has something to send; null: nothing. Never before not_before.
      due_at timestamptz,
      not_before timestamptz,
      -- Counts the leases, so that only the holder of the last one can return it.
      lease bigint not null default 0,
      lease_until timestamptz
    );
    create index webhook_endpoint_due on webhook_endpoint (due_at) where due_at is not null;
    create index webhook_endpoint_of_account on webhook_endpoint (account_id, merchant_uuid) where deleted_at is null;

    create table webhook_endpoint_event (
      position bigint generated always as identity primary key,
      endpoint_id uuid not null references webhook_endpoint,
      at timestamptz not null default now(),
      -- The credential, the operator, or 'delivery'.
      actor text not null,
      what text not null,
      details jsonb not null default '{}'
    );
    create index webhook_endpoint_event_of_endpoint on webhook_endpoint_event (endpoint_id, position);
    create trigger webhook_endpoint_event_append_only before update or delete or truncate on webhook_endpoint_event
      for each statement execute function refuse_change();
    alter table webhook_endpoint_event enable always trigger webhook_endpoint_event_append_only;

    -- Not partitioned: docs/decisions/0066. No foreign key to the endpoint, which is never deleted: each row would lock it.
    create table webhook_delivery (
      delivery_id bigint generated always as identity primary key,
      endpoint_id uuid not null,
      -- Null: a test, which is not in the log.
      event_position bigint,
      event_id uuid not null,
      type text not null,
      state text not null default 'pending' check (state in ('pending', 'delivered', 'failed', 'cancelled')),
      -- Sent after everything that is not.
      replayed boolean not null default false,
      -- Attempts that an HTTP response ended.
      attempts smallint not null default 0,
      next_attempt_at timestamptz not null default now(),
      created_at timestamptz not null default now(),
      finished_at timestamptz,
      -- The last attempts: [{at, status | kind, durationMs}].
      tries jsonb not null default '[]'
    );
    create index webhook_delivery_pending on webhook_delivery (endpoint_id, replayed, next_attempt_at, delivery_id)
      where state = 'pending';
    create index webhook_delivery_of_endpoint on webhook_delivery (endpoint_id, delivery_id)`.execute(db)
  for (const [table, { merchant, account }] of Object.entries(POLICIES))
    await sql`create policy scope on ${sql.table(table)} using (case scope_kind() when 'system' then true
      when 'merchant' then ${sql.raw(merchant)} when 'account' then ${sql.raw(account)} else false end)`.execute(db)
  const { rows } = await sql<{ enforced: boolean }>`
    select relrowsecurity and relforcerowsecurity as enforced from pg_class
    where oid = 'public.chargeback'::regclass`.execute(db)
  if (rows[0]?.enforced)
    for (const table of Object.keys(POLICIES))
      await sql`alter table ${sql.table(table)} enable row level security, force row level security`.execute(db)
}

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}

import { type Kysely, sql } from 'kysely'

const ofMerchant = 'merchant_uuid = scope_merchant()'
const ofAccount = 'account_id = scope_account()'
const ofAccountItself = 'scope_merchant() is null'
/** Rows of a table without a merchant column, by the row that they belong to. */
const through = (parent: string, key: string, table: string) =>
  `exists (select from ${parent} of_parent where of_parent.${key} = ${table}.${key})`
/** No tenant sees them. */
const NOBODY = 'false'

/** Rows of each table that a scope other than the system's sees. */
const POLICIES: Record<string, string> = {
  account: ofAccount,
  account_usage: ofAccount,
  merchant_group: ofAccount,
  // In the scope of an account itself there is no merchant.
  merchant: `(${ofMerchant} or ${ofAccountItself} and ${ofAccount})`,
  merchant_group_member: through('merchant', 'merchant_uuid', 'merchant_group_member'),
  credential: `(${ofAccount} and (${ofMerchant} or merchant_uuid is null or ${ofAccountItself}))`,
  idempotency_key: `(${ofMerchant} or merchant_uuid is null and ${ofAccountItself}
    and ${through('credential', 'credential_id', 'idempotency_key')})`,

  alert: ofMerchant,
  chargeback: ofMerchant,
  client_data: ofMerchant,
  command: ofMerchant,
  erased_subject: ofMerchant,
  evidence_plan: ofMerchant,
  file: ofMerchant,
  ingestion: ofMerchant,
  // The account sees the integrations of its merchants.
  integration: `(${ofMerchant} or ${ofAccountItself} and ${through('merchant', 'merchant_uuid', 'integration')})`,
  removal: ofMerchant,
  timeline_event: ofMerchant,
  transaction_record: ofMerchant,

  drift_report: through('integration', 'integration_id', 'drift_report'),
  erased_reference: through('integration', 'integration_id', 'erased_reference'),
  kept_verification: through('integration', 'integration_id', 'kept_verification'),
  notification: through('integration', 'integration_id', 'notification'),
  quarantine: through('integration', 'integration_id', 'quarantine'),
  raw_object: through('integration', 'integration_id', 'raw_object'),
  reread: through('integration', 'integration_id', 'reread'),
  scope_version: through('integration', 'integration_id', 'scope_version'),
  secret_rotation: through('integration', 'integration_id', 'secret_rotation'),
  alert_outcome: through('alert', 'alert_id', 'alert_outcome'),
  evidence_submission: through('command', 'command_id', 'evidence_submission'),
  evidence_upload: through('command', 'command_id', 'evidence_upload'),
  psp_operation: through('command', 'command_id', 'psp_operation'),

  erasure_key: NOBODY,
  operator_action: NOBODY,
  operator_request: NOBODY,
  retention_sweep: NOBODY,
  sealing_key: NOBODY,
  signing_key: NOBODY,
}

/**
 * Row-level security in addition to the filters of the code: docs/decisions/0028. The policies have no effect until
 * they are enabled, because processes of the previous version set no scope. One table after the other, so that none is
 * locked while the migration waits for another.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Declared immutable, which they are within one statement, so that they are evaluated during planning: in the
  // system's
  // scope the policy disappears, and in a merchant's scope it becomes a comparison that an index supports.
  await sql`
    create or replace function scope_system() returns boolean language plpgsql immutable parallel safe as $$
      begin return coalesce(current_setting('recoup.scope', true), '') = 'system'; end $$;
    create or replace function scope_account() returns uuid language plpgsql immutable parallel safe as $$
      declare
        name text := current_setting('recoup.scope', true);
      begin
        if length(name) >= 36 then return left(name, 36)::uuid; end if;
        return null;
      end $$;
    create or replace function scope_merchant() returns uuid language plpgsql immutable parallel safe as $$
      declare
        name text := current_setting('recoup.scope', true);
      begin
        if length(name) = 73 then return right(name, 36)::uuid; end if;
        return null;
      end $$`.execute(db)
  // As in 0017, but planned at each call: a function keeps the plans of its statements, and with them their scope.
  await sql`
    create or replace function count_file_bytes() returns trigger language plpgsql as $$
      declare
        change bigint := 0;
      begin
        if tg_op <> 'INSERT' and old.erased_at is null then change := change - old.bytes; end if;
        if tg_op <> 'DELETE' and new.erased_at is null then change := change + new.bytes; end if;
        if change <> 0 then
          execute 'insert into account_usage as u (account_id, file_bytes)
            select account_id, $1 from merchant where merchant_uuid = $2
            on conflict (account_id) do update set file_bytes = u.file_bytes + excluded.file_bytes'
            using change, coalesce(new.merchant_uuid, old.merchant_uuid);
        end if;
        return null;
      end $$`.execute(db)
  for (const [table, seen] of Object.entries(POLICIES))
    await db.transaction().execute(async (trx) => {
      const { rows } = await sql`
        select from pg_policies where schemaname = 'public' and tablename = ${table} and policyname = 'scope'`.execute(
        trx,
      )
      if (rows.length > 0) return
      await sql`set local lock_timeout = 500`.execute(trx)
      await sql`create policy scope on ${sql.table(table)} using (scope_system() or ${sql.raw(seen)})`.execute(trx)
    })
}

export const concurrent = true

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}

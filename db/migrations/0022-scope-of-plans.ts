import { type Kysely, sql } from 'kysely'

const ofMerchant = `merchant_uuid = right(current_setting('recoup.scope'), 36)::uuid`
const ofAccount = `account_id = left(current_setting('recoup.scope'), 36)::uuid`
const through = (parent: string, key: string, table: string) =>
  `exists (select from ${parent} of_parent where of_parent.${key} = ${table}.${key})`

/** Rows of a table that the scope of a merchant and that of an account itself see; none if it is missing. */
interface Seen {
  merchant: string
  account?: string
}

const POLICIES: Record<string, Seen> = {
  account: { merchant: ofAccount, account: ofAccount },
  account_usage: { merchant: ofAccount, account: ofAccount },
  merchant_group: { merchant: ofAccount, account: ofAccount },
  merchant: { merchant: ofMerchant, account: ofAccount },
  credential: { merchant: `${ofAccount} and (${ofMerchant} or merchant_uuid is null)`, account: ofAccount },
  idempotency_key: {
    merchant: ofMerchant,
    account: `merchant_uuid is null and ${through('credential', 'credential_id', 'idempotency_key')}`,
  },
  integration: { merchant: ofMerchant, account: through('merchant', 'merchant_uuid', 'integration') },
}
for (const table of [
  ...['alert', 'chargeback', 'client_data', 'command', 'erased_subject', 'evidence_plan', 'file', 'ingestion'],
  ...['removal', 'timeline_event', 'transaction_record'],
])
  POLICIES[table] = { merchant: ofMerchant }

/**
 * The policies of 0020 in a form that a prepared statement may keep (docs/decisions/0037): the plan depends on the kind
 * of scope, and each execution reads the ids of the scope.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Declared immutable so that the planner evaluates it and keeps only the branch that applies, which an index
  // supports.
  await sql`
    create or replace function scope_kind() returns text language plpgsql immutable parallel safe as $$
      declare
        name text := current_setting('recoup.scope', true);
      begin
        return case when name = 'system' then name when length(name) = 73 then 'merchant'
          when length(name) = 36 then 'account' end;
      end $$`.execute(db)
  for (const [table, { merchant, account = 'false' }] of Object.entries(POLICIES))
    await db.transaction().execute(async (trx) => {
      await sql`set local lock_timeout = 500`.execute(trx)
      await sql`alter policy scope on ${sql.table(table)} using (case scope_kind() when 'system' then true
        when 'merchant' then ${sql.raw(merchant)} when 'account' then ${sql.raw(account)} else false end)`.execute(trx)
    })
  await sql`drop function if exists scope_account(), scope_merchant()`.execute(db)
}

export const concurrent = true

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}

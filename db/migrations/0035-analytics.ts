import { type Kysely, sql } from 'kysely'
import { indexConcurrently } from './concurrently.ts'

/** `coalesce` would be evaluated after the policy of row-level security, and so by no index; `case` is leakproof. */
const DUE = `(case when due_date is null then 'infinity' else due_date end)`

/** Indexes of the filters and sorts of the list of chargebacks, each over chargebacks that it shows. */
const INDEXES: Record<string, string> = {
  chargeback_by_due_date: `(merchant_uuid, ${DUE}, id) include (due_date, posting_sort)`,
  chargeback_by_amount: '(merchant_uuid, currency, amount_exponent, amount_minor, id)',
  chargeback_by_reason_group: '(merchant_uuid, reason_group, posting_sort desc, id desc)',
  chargeback_by_currency: '(merchant_uuid, currency, posting_sort desc, id desc)',
  chargeback_by_card: '(merchant_uuid, card_last_four_digits)',
}
/** The same over few chargebacks: what nearly all have in common is found in the order of the list. */
const PARTIAL: Record<string, [columns: string, where: string]> = {
  chargeback_by_stage: [
    '(merchant_uuid, lifecycle_stage, posting_sort desc, id desc)',
    `lifecycle_stage <> 'chargeback'`,
  ],
  chargeback_out_of_scope: ['(merchant_uuid, posting_sort desc, id desc)', `scope_decision ->> 'inScope' = 'false'`],
  chargeback_by_recommendation: [
    '(merchant_uuid, roi_recommendation, posting_sort desc, id desc)',
    'roi_recommendation is not null',
  ],
  chargeback_due_by_status: [
    `(merchant_uuid, status, ${DUE}, id)`,
    `status in ('waiting_for_data', 'building_evidence')`,
  ],
  chargeback_due_by_psp_status: [
    `(merchant_uuid, psp_status, ${DUE}, id)`,
    `psp_status in ('needs_response', 'under_review', 'unknown')`,
  ],
}

const KEY = `merchant_uuid, psp, currency, amount_exponent, reason_group, status, psp_status, lifecycle_stage,
  posting_month, due_week, decision_days`

/** Whole days from posting to decision. */
const DAYS = 'least(greatest(floor(extract(epoch from psp_status_change_date - posting_date) / 86400), 0), 3650)::int'

/** What a chargeback `r` adds to the sums of its merchant. */
const ADDED = (sign: string) => `
  select merchant_uuid, psp, currency, amount_exponent, reason_group, status, psp_status, lifecycle_stage,
    date_trunc('month', posting_date at time zone 'UTC')::date as posting_month,
    case when psp_status = 'needs_response' then date_trunc('week', due_date at time zone 'UTC')::date end as due_week,
    case when psp_status in ('won', 'lost', 'split') and psp_status_change_date is not null and posting_date is not null
      then (case when ${DAYS} < 14 then ${DAYS} else ${DAYS} - ${DAYS} % 7 end)::smallint end as decision_days,
    ${sign}1 as chargebacks, ${sign}amount_minor::numeric as amount_minor`

const CHANGED = (parts: string) => `
  insert into chargeback_sum_change (${KEY}, chargebacks, amount_minor)
  select ${KEY}, sum(chargebacks), sum(amount_minor) from (${parts}) r group by ${KEY}
  having sum(chargebacks) <> 0 or sum(amount_minor) <> 0`

const OF = (table: string, sign = '') => `${ADDED(sign)} from ${table} r where merged_into is null`

/**
 * Sums of each merchant's chargebacks, kept by triggers, and the indexes of the list's filters: docs/decisions/0067.
 * The sums hold no personal data.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [name, columns] of Object.entries(INDEXES))
    await indexConcurrently(db, name, `chargeback ${columns} where merged_into is null`)
  for (const [name, [columns, where]] of Object.entries(PARTIAL))
    await indexConcurrently(db, name, `chargeback ${columns} where ${where} and merged_into is null`)
  await indexConcurrently(
    db,
    'transaction_record_by_date',
    'transaction_record (merchant_uuid, transaction_created_date)',
  )
  await createTables(db)
  await db.transaction().execute(async (trx) => {
    await sql`set local lock_timeout = 500`.execute(trx)
    await createTriggers(trx)
  })
  await sql.raw(MISSING).execute(db)
}

async function createTables(db: Kysely<unknown>): Promise<void> {
  const columns = sql.raw(`
    merchant_uuid uuid not null references merchant,
    psp text not null,
    currency text not null,
    amount_exponent smallint not null,
    reason_group text not null,
    status text not null,
    psp_status text not null,
    lifecycle_stage text not null,
    -- First day of the month of the posting date, UTC.
    posting_month date,
    -- Monday of the week of the due date, UTC, while the PSP needs a response.
    due_week date,
    -- From posting to decision, once there is one: exact below 14, then the first of seven days.
    decision_days smallint,
    chargebacks bigint not null,
    amount_minor numeric not null`)
  await sql`
    create table if not exists chargeback_sum (${columns}, unique nulls not distinct (${sql.raw(KEY)}))`.execute(db)
  await indexConcurrently(db, 'chargeback_sum_empty', 'chargeback_sum (merchant_uuid) where chargebacks = 0')
  await sql`
    create table if not exists chargeback_sum_change (
      change_id bigint generated always as identity primary key, ${columns})`.execute(db)
  await indexConcurrently(db, 'chargeback_sum_change_of_merchant', 'chargeback_sum_change (merchant_uuid)')
  for (const table of ['chargeback_sum', 'chargeback_sum_change']) await secure(db, table)
}

/** Row-level security as in 0022. */
async function secure(db: Kysely<unknown>, table: string): Promise<void> {
  const { rows } = await sql<{ exists: boolean; enforced: boolean }>`
    select exists (select from pg_policies where schemaname = 'public' and tablename = ${table}) as exists,
      relrowsecurity and relforcerowsecurity as enforced from pg_class where oid = 'public.chargeback'::regclass`.execute(
    db,
  )
  if (!rows[0]?.exists)
    await sql`
      create policy scope on ${sql.table(table)} using (case scope_kind() when 'system' then true
        when 'merchant' then merchant_uuid = right(current_setting('recoup.scope'), 36)::uuid else false end)`.execute(
      db,
    )
  if (rows[0]?.enforced)
    await sql`alter table ${sql.table(table)} enable row level security, force row level security`.execute(db)
}

/**
 * One trigger for each kind of statement, so that a page of any number of chargebacks adds one insert. It only inserts:
 * polls of one merchant do not wait for each other. Planned at each call, as in 0020.
 */
async function createTriggers(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function sum_chargebacks() returns trigger language plpgsql as $$ begin
      execute case tg_op when 'INSERT' then ${sql.lit(CHANGED(OF('new_rows')))}
        when 'DELETE' then ${sql.lit(CHANGED(OF('old_rows', '-')))}
        else ${sql.lit(CHANGED(`${OF('new_rows')} union all ${OF('old_rows', '-')}`))} end;
      return null;
    end $$`.execute(db)
  await sql`
    create or replace trigger chargebacks_inserted after insert on chargeback
      referencing new table as new_rows for each statement execute function sum_chargebacks();
    create or replace trigger chargebacks_updated after update on chargeback
      referencing old table as old_rows new table as new_rows for each statement execute function sum_chargebacks();
    create or replace trigger chargebacks_deleted after delete on chargeback
      referencing old table as old_rows for each statement execute function sum_chargebacks()`.execute(db)
}

/**
 * What the sums lack: nothing once they are complete. One snapshot has chargebacks and sums of the same moment, so
 * writers need not wait; a chargeback that changes meanwhile adds its change by the trigger.
 */
const MISSING = CHANGED(`${OF('chargeback')}
  union all select ${KEY}, -chargebacks, -amount_minor from chargeback_sum
  union all select ${KEY}, -chargebacks, -amount_minor from chargeback_sum_change`)

export const concurrent = true

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}

import { sql } from 'kysely'
import { ACCOUNT_DEFAULTS } from '../../domain/accounts/account-settings.ts'
import { EARLIEST_DUE_DATE, LATEST_READING } from '../chargebacks/earliest-due-date.ts'
import { recomputeChargebacks } from '../chargebacks/recompute.ts'
import type { Database } from '../core/connect.ts'
import { setting } from '../core/setting.ts'

/**
 * Finds chargebacks whose decision changes with time alone, in slices, and decides them again. Skips those with an open
 * command.
 */

/** Chargebacks past their due date can't be contested any more. @returns the number of changed statuses */
export async function closeOverdue(db: Database, now: Date, limit: number): Promise<number> {
  return move(db, now, limit, sql`c.due_date <= ${now}`)
}

/**
 * The data window closes a number of hours before the due date, set by the account. Evidence is then built from the
 * data present.
 * @returns the number of changed statuses
 */
export async function closeDataWindows(db: Database, now: Date, limit: number): Promise<number> {
  const windowOf = (account: string) => sql`interval '1 hour' *
    case when jsonb_typeof(${sql.ref(account)}.settings -> 'dataWindowHours') = 'number'
      then (${sql.ref(account)}.settings ->> 'dataWindowHours')::float8 else ${ACCOUNT_DEFAULTS.dataWindowHours} end`
  // The longest window of any account is the bound for the index on due dates.
  return move(
    db,
    now,
    limit,
    sql`c.status = 'waiting_for_data' and c.due_date > ${now}
      and ${EARLIEST_DUE_DATE} <= ${now}::timestamptz + ${windowOf('a')}
      and c.due_date <= ${now}::timestamptz + interval '1 hour' * ${LATEST_READING}
        + (select max(${windowOf('any_account')}) from account any_account)`,
  )
}

async function move(
  db: Database,
  now: Date,
  limit: number,
  condition: ReturnType<typeof sql<boolean>>,
): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ id: string }>`
      select c.id from chargeback c
      join merchant m on m.merchant_uuid = c.merchant_uuid join account a on a.account_id = m.account_id
      where c.status in ('waiting_for_data', 'building_evidence') and ${condition} and not exists (
        select from command k where k.chargeback_id = c.id and k.round = c.round and k.status in ('created', 'inProgress'))
      order by c.due_date limit ${limit} for no key update of c skip locked`.execute(trx)
    if (rows.length === 0) return 0
    const { moved } = await recomputeChargebacks(
      trx,
      { chargebackIds: rows.map((row) => row.id) },
      { now, source: 'clock' },
    )
    return moved
  })
}

/**
 * Writes the timeline row `due soon` of open chargebacks that nobody answers: at two points in time before the due date,
 * which the account sets, once for each due date. After an outage only the later of two that have passed.
 * @returns the number of rows
 */
export async function remindOfDueDates(db: Database, now: Date, limit: number): Promise<number> {
  const hours = (account: string) =>
    sql`array[${setting(account, 'reminderHours')}, ${setting(account, 'lastReminderHours')}]`
  const after = (count: ReturnType<typeof sql>) => sql`${now}::timestamptz + interval '1 hour' * ${count}`
  const dueWithin = (count: ReturnType<typeof sql>) => sql`
    c.status in ('waiting_for_data', 'building_evidence') and c.psp_status = 'needs_response' and c.merged_into is null
    and c.due_date > ${now} and c.due_date <= ${after(sql`(${LATEST_READING} + ${count})`)}
    and ${EARLIEST_DUE_DATE} <= ${after(count)}`
  // One branch for each index: those without a reminder of this due date, and those whose next one has come.
  const { rows } = await sql<{ reminded: number }>`
    with points as materialized (
      select distinct h from account a cross join lateral unnest(${hours('a')}) h where h > 0
    ), due as materialized (
      select c.id from chargeback c
      where c.reminded_due_date is distinct from c.due_date and ${dueWithin(sql`(select max(h) from points)`)}
      union
      select c.id from points p cross join lateral (
        select c.id from chargeback c
        where c.reminded_due_date = c.due_date and c.reminded_hours > p.h::int and ${dueWithin(sql`p.h`)} offset 0) c
    ), soon as (
      select c.id, c.merchant_uuid, c.due_date, r.hours from due join chargeback c on c.id = due.id
      cross join lateral (select a.settings from merchant m join account a on a.account_id = m.account_id
        where m.merchant_uuid = c.merchant_uuid limit 1) a
      cross join lateral (select min(h) as hours from unnest(${hours('a')}) h
        where h > 0 and ${EARLIEST_DUE_DATE} <= ${after(sql`h`)}) r
      where r.hours is not null and (c.reminded_due_date is distinct from c.due_date or c.reminded_hours > r.hours)
        and not coalesce((select true from command k where k.chargeback_id = c.id and k.round = c.round
          and k.status in ('created', 'inProgress') limit 1), false)
      order by c.due_date limit ${limit} for no key update of c skip locked
    ), reminded as (
      update chargeback c set reminded_due_date = soon.due_date, reminded_hours = soon.hours
      from soon where c.id = soon.id returning c.merchant_uuid, c.id, c.due_date, soon.hours
    ), told as (
      insert into timeline_event (merchant_uuid, chargeback_id, source, what, after)
      select merchant_uuid, id, 'clock', 'due soon', jsonb_build_object(
        'dueDate', to_char(due_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'hours', hours) from reminded
    )
    select count(*)::int as reminded from reminded`.execute(db)
  return rows[0]?.reminded ?? 0
}

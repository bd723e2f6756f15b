import { sql } from 'kysely'
import { ACCOUNT_DEFAULTS } from '../../domain/accounts/account-settings.ts'
import { EARLIEST_DUE_DATE, LATEST_READING } from '../chargebacks/earliest-due-date.ts'
import { recomputeChargebacks } from '../chargebacks/recompute.ts'
import type { Database } from '../core/connect.ts'

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
      order by c.due_date limit ${limit} for update of c skip locked`.execute(trx)
    if (rows.length === 0) return 0
    const { moved } = await recomputeChargebacks(
      trx,
      { chargebackIds: rows.map((row) => row.id) },
      { now, source: 'clock' },
    )
    return moved
  })
}

import { sql } from 'kysely'
import { ACCOUNT_DEFAULTS } from '../domain/account-settings.ts'
import { HANDLING_REASONS } from '../domain/handling.ts'
import type { Database } from './connect.ts'

/** Moves what time alone decides, in slices; each move stands in the timeline. Commands at work are left alone. */

/** Past its due date nothing can be answered any more. */
export async function closeOverdue(db: Database, limit: number): Promise<number> {
  return move(db, limit, sql`c.due_date <= now()`, 'not_represented', HANDLING_REASONS.overdue)
}

/** The data window closes some hours before the due date, as the account says: evidence is built from what there is. */
export async function closeDataWindows(db: Database, limit: number): Promise<number> {
  return move(
    db,
    limit,
    sql`c.status = 'waiting_for_data' and c.due_date > now() and c.due_date <= now() + make_interval(hours =>
      coalesce((a.settings ->> 'dataWindowHours')::int, ${ACCOUNT_DEFAULTS.dataWindowHours}))`,
    'building_evidence',
    HANDLING_REASONS.dataWindowClosed,
  )
}

async function move(
  db: Database,
  limit: number,
  condition: ReturnType<typeof sql<boolean>>,
  status: string,
  reason: string,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with due as (
      select c.id, c.status from chargeback c
      join merchant m on m.merchant_uuid = c.merchant_uuid join account a on a.account_id = m.account_id
      where c.status in ('waiting_for_data', 'building_evidence') and ${condition} and not exists (
        select from command k where k.chargeback_id = c.id and k.round = c.round and k.status in ('created', 'inProgress'))
      order by c.due_date limit ${limit} for update of c skip locked
    ), moved as (
      update chargeback c set status = ${status}, status_reason = ${reason}, version = version + 1, updated_at = now(),
        win_probability = case when ${status} = 'not_represented' then null else win_probability end,
        roi_recommendation = case when ${status} = 'not_represented' then null else roi_recommendation end
      from due where c.id = due.id returning c.merchant_uuid, c.id, due.status as was
    ), told as (
      insert into timeline_event (merchant_uuid, chargeback_id, source, what, before, after)
      select merchant_uuid, id, 'clock', 'status changed', jsonb_build_object('status', was),
        jsonb_build_object('status', ${status}::text, 'reason', ${reason}::text) from moved
    )
    select count(*)::int as count from moved`.execute(db)
  return rows[0]?.count ?? 0
}

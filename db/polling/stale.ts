import { sql } from 'kysely'
import type { ReadDispute } from '../../domain/reread.ts'
import type { Database } from '../core/connect.ts'

/** Open chargebacks that the PSP reports nothing about and that can't be read. */

/** Value in `anomalies` until the PSP reports something new. */
export const STALE = 'no end was told in time'

/** Due for a check, longest waiting first. */
export interface DueChargeback extends Omit<ReadDispute, 'postingDate'> {
  id: string
  reference: string
}

export async function dueChargebacks(db: Database, integrationId: string, limit: number): Promise<DueChargeback[]> {
  return db
    .selectFrom('chargeback')
    .select([
      'id',
      'chargeback_id as reference',
      'psp_status as pspStatus',
      'psp_status_change_date as changedAt',
      'due_date as dueDate',
    ])
    .where('integration_id', '=', integrationId)
    .where('reread_after', '<=', sql<Date>`now()`)
    .orderBy('reread_after')
    .limit(limit)
    .execute()
}

/**
 * Marks chargebacks for which the PSP, when asked, returned no status, because it reports none. One timeline row per
 * silent period; checked again in a week, until half a year after the last change. Skips a chargeback that the PSP has
 * reported on since.
 * @returns how many were newly marked as stale
 */
export async function noteStale(
  db: Database,
  asked: (DueChargeback & { answerable: boolean })[],
  source: string,
): Promise<number> {
  if (asked.length === 0) return 0
  const { rows } = await sql<{ told: number }>`
    with stale as (
      select c.id, c.merchant_uuid, c.due_date, a.answerable, c.anomalies @> ${[STALE]}::text[] as known
      from chargeback c
      join unnest(${asked.map((one) => one.id)}::uuid[], ${asked.map((one) => one.answerable)}::boolean[],
        ${asked.map((one) => one.pspStatus)}::text[]) as a(id, answerable, psp_status) on a.id = c.id
      where c.psp_status = a.psp_status and c.reread_after <= now()
      order by c.id for no key update of c
    ), marked as (
      update chargeback c set anomalies = case when known then c.anomalies else array_append(c.anomalies, ${STALE}) end,
        reread_after = case when coalesce(c.psp_status_change_date, c.created_at) > now() - interval '180 days'
          then now() + interval '7 days' end
      from stale where stale.id = c.id
    ), told as (
      insert into timeline_event (merchant_uuid, chargeback_id, source, what, after)
      select merchant_uuid, id, ${source}, ${STALE}, jsonb_build_object('answerable', answerable,
        'dueDate', to_char(due_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      from stale where not known
      returning 1
    )
    select count(*)::int as told from told`.execute(db)
  return rows[0]?.told ?? 0
}

/** The PSP could not be read: retry in an hour. */
export async function postponeStale(db: Database, id: string): Promise<void> {
  await db
    .updateTable('chargeback')
    .set({ reread_after: sql<Date>`now() + interval '1 hour'` })
    .where('id', '=', id)
    .execute()
}

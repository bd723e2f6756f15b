import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'

const KEY = sql.raw(`merchant_uuid, psp, currency, amount_exponent, reason_group, status, psp_status, lifecycle_stage,
  posting_month, due_week, decision_days`)

/**
 * Adds recorded changes of chargebacks to the sums that they belong to, and deletes sums of nothing. Readers add both, so
 * they see the same before and after. Rows are written in the order of their keys, so that two workers can't deadlock.
 * @returns changes that were added; fewer than `limit` when none are left
 */
export async function foldSums(db: Database, limit: number): Promise<number> {
  const { rows } = await sql<{ taken: number }>`
    with taken as (
      delete from chargeback_sum_change where change_id in (
        select change_id from chargeback_sum_change order by change_id limit ${limit} for update skip locked)
      returning *
    ), added as (
      insert into chargeback_sum as s (${KEY}, chargebacks, amount_minor)
      select ${KEY}, sum(chargebacks), sum(amount_minor) from taken group by ${KEY} order by ${KEY}
      on conflict (${KEY}) do update set chargebacks = s.chargebacks + excluded.chargebacks,
        amount_minor = s.amount_minor + excluded.amount_minor
    )
    select count(*)::int as taken from taken`.execute(db)
  await sql`delete from chargeback_sum where chargebacks = 0 and amount_minor = 0`.execute(db)
  return rows[0]?.taken ?? 0
}

import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'

export interface MonthOfTransactions {
  /** First day, `2026-01-01`. */
  month: string
  /** Transaction records of operation 1 that were processed in that month. */
  transactions: number
  /** Chargebacks of any stage from the first chargeback on that were posted in that month. */
  chargebacks: number
}

/**
 * Transactions and chargebacks of a merchant by month, UTC. The transactions of each month are counted in their index.
 * @param months first days of the first and the last month
 */
export async function countByMonth(
  db: Database,
  { merchantUuid, first, last }: { merchantUuid: string; first: string; last: string },
): Promise<MonthOfTransactions[]> {
  const sums = (table: string) => sql`
    select posting_month, chargebacks from ${sql.table(table)} where merchant_uuid = ${merchantUuid}
      and posting_month between ${first}::date and ${last}::date
      and lifecycle_stage in ('chargeback', 'second_chargeback', 'third_chargeback')`
  const { rows } = await sql<MonthOfTransactions>`
    with charged as (
      select posting_month, sum(chargebacks)::float8 as chargebacks
      from (${sums('chargeback_sum')} union all ${sums('chargeback_sum_change')}) s group by 1)
    select m.month::date::text as month, coalesce(charged.chargebacks, 0) as chargebacks, (
      select count(*)::float8 from transaction_record t where t.merchant_uuid = ${merchantUuid}
        and t.transaction_created_date >= m.month at time zone 'UTC'
        and t.transaction_created_date < (m.month + interval '1 month') at time zone 'UTC') as transactions
    from generate_series(${first}::date::timestamp, ${last}::date::timestamp, interval '1 month') m(month)
    left join charged on charged.posting_month = m.month::date order by 1`.execute(db)
  return rows
}

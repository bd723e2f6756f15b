import { type RawBuilder, sql } from 'kysely'
import type { ChargebackFilter } from '../chargebacks/list-filter.ts'
import type { Database } from '../core/connect.ts'

/** What sums can be grouped by: the name in the interface and the column. */
export const DIMENSIONS = {
  psp: 'psp',
  currency: 'currency',
  reasonGroup: 'reason_group',
  status: 'status',
  pspStatus: 'psp_status',
  lifecycleStage: 'lifecycle_stage',
  month: 'posting_month',
} as const
export type Dimension = keyof typeof DIMENSIONS

export interface SummaryFilter
  extends Pick<ChargebackFilter, 'psp' | 'currency' | 'reasonGroup' | 'status' | 'pspStatus' | 'lifecycleStage'> {
  /** First days of months, `2026-01-01`, both included. */
  startMonth?: string | undefined
  endMonth?: string | undefined
}

/** Numbers of chargebacks and their amounts in minor units, by how the PSP decided. */
export interface Decided {
  all: bigint
  open: bigint
  won: bigint
  lost: bigint
  split: bigint
}

/** One row of the sums. What it is about is in the fields that are not null. */
export interface SummaryRow {
  /** `total`: of a group. `amount`: of a group and currency. `days`: of a group and time to decision. `due`: of a week. */
  part: 'total' | 'amount' | 'days' | 'due'
  /** Values of the dimensions asked for; null where chargebacks have none, as a month. */
  values: (string | null)[]
  currency: string | null
  exponent: number | null
  /** Days from posting to decision: exact below 14, then the first day of seven. */
  days: number | null
  /** Monday, `2026-01-05`. */
  week: string | null
  counts: Decided
  amounts: Decided
  /** Those that the PSP needs a response to. */
  waiting: { count: bigint; minor: bigint }
}

/** Statuses in the PSP of chargebacks that it has not decided. */
const OPEN = sql`psp_status in ('needs_response', 'under_review', 'unknown')`

const WAITING = sql`psp_status = 'needs_response'`

const decided = (sum: RawBuilder<unknown>): RawBuilder<string[]> =>
  sql`array[${sql.join(
    [sql`true`, OPEN, sql`psp_status = 'won'`, sql`psp_status = 'lost'`, sql`psp_status = 'split'`, WAITING].map(
      (condition) => sql`coalesce(${sum} filter (where ${condition}), 0)::text`,
    ),
  )}]`

/**
 * Sums of a merchant's chargebacks, from the kept ones and the changes since. Weeks are those of chargebacks that the PSP
 * needs a response to.
 */
export async function summarise(
  db: Database,
  request: { merchantUuid: string; by: readonly Dimension[]; filter: SummaryFilter },
): Promise<SummaryRow[]> {
  const where = conditions(request.merchantUuid, request.filter)
  const names = request.by.map((name) => DIMENSIONS[name])
  // Grouped to what the answer needs, so that the sets below go over few rows.
  const needed = [...new Set([...names, 'currency', 'amount_exponent', 'psp_status', 'due_week', 'decision_days'])]
  const key = sql.join(needed.map((name) => sql.ref(name)))
  const from = (table: string) => sql`select ${key}, chargebacks, amount_minor from ${sql.table(table)} where ${where}`
  const group = (...more: string[]) => sql`(${sql.join([...names, ...more].map((name) => sql.ref(name)))})`
  const { rows } = await sql<
    Pick<SummaryRow, 'values' | 'currency' | 'exponent' | 'days' | 'week'> &
      Record<'counts' | 'amounts', string[]> & {
        grouped: number
      }
  >`
    with sums as materialized (
      select ${key}, sum(chargebacks) as chargebacks, sum(amount_minor) as amount_minor
      from (${from('chargeback_sum')} union all ${from('chargeback_sum_change')}) s group by ${key})
    select grouping(amount_exponent, decision_days, due_week)::int as grouped,
      array[${sql.join(names.map((name) => sql`${sql.ref(name)}::text`))}]::text[] as values, currency,
      amount_exponent as exponent, decision_days as days, due_week::text as week,
      ${decided(sql`sum(chargebacks)`)} as counts, ${decided(sql`sum(amount_minor)`)} as amounts
    from sums group by grouping sets (${sql.join([
      group(),
      group('currency', 'amount_exponent'),
      group('decision_days'),
      sql`(due_week, currency, amount_exponent)`,
    ])})
    having sum(chargebacks) <> 0 order by 1 desc, 2, due_week, currency, exponent, days`.execute(db)
  return rows.map(({ grouped, counts, amounts, ...row }) => ({
    ...row,
    part: PARTS[grouped] as SummaryRow['part'],
    counts: named(counts),
    amounts: named(amounts),
    waiting: { count: BigInt(counts.at(-1) ?? 0), minor: BigInt(amounts.at(-1) ?? 0) },
  }))
}

/** By the bits of `grouping`: 1 for each of exponent, days and week that a row is not grouped by. */
const PARTS: Record<number, SummaryRow['part']> = { 7: 'total', 3: 'amount', 5: 'days', 2: 'due' }

function named(values: readonly string[]): Decided {
  const [all = 0n, open = 0n, won = 0n, lost = 0n, split = 0n] = values.map(BigInt)
  return { all, open, won, lost, split }
}

function conditions(merchantUuid: string, filter: SummaryFilter): RawBuilder<unknown> {
  const { startMonth, endMonth, ...words } = filter
  const all = [sql`merchant_uuid = ${merchantUuid}`]
  for (const [name, values] of Object.entries(words))
    if (values) all.push(sql`${sql.ref(DIMENSIONS[name as Dimension])} = any(${[...values]}::text[])`)
  if (startMonth) all.push(sql`posting_month >= ${startMonth}::date`)
  if (endMonth) all.push(sql`posting_month <= ${endMonth}::date`)
  return sql.join(all, sql` and `)
}

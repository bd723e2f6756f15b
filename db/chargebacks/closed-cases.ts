import { sql } from 'kysely'
import type { ReasonGroup } from '../../domain/chargeback.ts'
import type { Database } from '../core/connect.ts'

/** Contested chargebacks with an outcome; a split one counts as half a win and half a loss. */
export interface ClosedCases {
  won: number
  lost: number
}

/**
 * Of merchants with so many closed cases the counts are kept: to count them takes a tenth of a second, and one case more
 * changes a share by less than 0.01 %.
 */
const MANY = 10_000
const KEPT_MS = 10 * 60_000
const KEPT_MERCHANTS = 1_000
const kept = new Map<string, { groups: Map<string, ClosedCases>; until: number }>()

/**
 * A merchant's own closed cases by reason group. Counts only chargebacks that were contested: a loss without evidence
 * says nothing about evidence. One statement over a partial index.
 */
export async function readClosedCases(
  db: Database,
  merchantUuids: readonly string[],
): Promise<(merchantUuid: string, group: ReasonGroup) => ClosedCases> {
  const now = performance.now()
  const known = new Map(
    merchantUuids.flatMap((merchantUuid) => {
      const one = kept.get(merchantUuid)
      return one && one.until > now ? [[merchantUuid, one.groups] as const] : []
    }),
  )
  const unknown = merchantUuids.filter((merchantUuid) => !known.has(merchantUuid))
  for (const [merchantUuid, groups] of await countClosedCases(db, unknown)) {
    known.set(merchantUuid, groups)
    const cases = [...groups.values()].reduce((sum, { won, lost }) => sum + won + lost, 0)
    if (cases < MANY) continue
    if (kept.size >= KEPT_MERCHANTS) kept.clear()
    kept.set(merchantUuid, { groups, until: now + KEPT_MS })
  }
  return (merchantUuid, group) => known.get(merchantUuid)?.get(group) ?? { won: 0, lost: 0 }
}

async function countClosedCases(
  db: Database,
  merchantUuids: readonly string[],
): Promise<Map<string, Map<string, ClosedCases>>> {
  const counts = new Map<string, Map<string, ClosedCases>>()
  if (merchantUuids.length === 0) return counts
  const { rows } = await sql<ClosedCases & { merchantUuid: string; group: string }>`
    select merchant_uuid as "merchantUuid", reason_group as "group",
      (count(*) filter (where psp_status = 'won') + count(*) filter (where psp_status = 'split') / 2.0)::float8 as won,
      (count(*) filter (where psp_status = 'lost') + count(*) filter (where psp_status = 'split') / 2.0)::float8 as lost
    from chargeback
    where answered and psp_status in ('won', 'lost', 'split') and merchant_uuid = any(${[...merchantUuids]}::uuid[])
    group by 1, 2`.execute(db)
  for (const { merchantUuid, group, won, lost } of rows)
    counts.set(merchantUuid, (counts.get(merchantUuid) ?? new Map()).set(group, { won, lost }))
  return counts
}

export type ClosedCasesOf = (group: ReasonGroup) => ClosedCases
const read = new WeakMap<object, Promise<ClosedCasesOf>>()

/** Closed cases of a connection's merchant: counted on first use, then cached for the connection's lifetime. */
export function closedCasesOf(db: Database, connection: { merchantUuid: string }): Promise<ClosedCasesOf> {
  const { merchantUuid } = connection
  const known = read.get(connection)
  if (known !== undefined) return known
  const counting = readClosedCases(db, [merchantUuid]).then(
    (cases): ClosedCasesOf =>
      (group) =>
        cases(merchantUuid, group),
  )
  read.set(connection, counting)
  // A failed count is not cached.
  counting.catch(() => read.delete(connection))
  return counting
}

export interface CalibrationRow {
  /** Range in percent, lower bound included, upper bound excluded except for 100; `all` is the total. */
  predicted: string
  cases: number
  /** Mean predicted probability, percent. */
  meanPredicted: number | null
  /** Share won, percent. */
  won: number | null
  /** Mean of (probability − outcome)², 0 to 1; always predicting 50 % scores 0.25. */
  brier: number | null
}

/**
 * Calibration of the win probabilities: closed cases with the probability frozen when they were contested, by tenths of
 * it and in total.
 */
export async function calibration(
  db: Database,
  of: { merchantUuid?: string | undefined; source?: string | undefined },
): Promise<CalibrationRow[]> {
  const tenant = of.merchantUuid ? sql`and c.merchant_uuid = ${of.merchantUuid}` : sql``
  const source = of.source ? sql`and i.source = ${of.source}` : sql``
  const { rows } = await sql<{ band: number | null } & Omit<CalibrationRow, 'predicted'>>`
    with closed as (
      select win_probability::float8 / 100 as p,
        case psp_status when 'won' then 1.0 when 'split' then 0.5 else 0.0 end as outcome
      from chargeback c join integration i using (integration_id)
      where answered and psp_status in ('won', 'lost', 'split') and win_probability is not null ${tenant} ${source}
    )
    select least(floor(p * 10), 9)::int as band, count(*)::int as cases,
      round((avg(p) * 100)::numeric, 1)::float8 as "meanPredicted",
      round(avg(outcome) * 100, 1)::float8 as won,
      round(avg((p - outcome::float8) ^ 2)::numeric, 4)::float8 as brier
    from closed group by grouping sets ((1), ()) order by 1 nulls last`.execute(db)
  return rows.map(({ band, ...row }) => ({
    predicted: band === null ? 'all' : `${band * 10}–${band * 10 + 10}`,
    ...row,
  }))
}

import { sql } from 'kysely'
import { type Decision, decideChargeback, type ScopeDecision, storedScope } from '../../domain/decision.ts'
import type { Database } from '../core/connect.ts'
import { inTransaction } from '../core/transaction.ts'
import { readClosedCases } from './closed-cases.ts'
import { asObject, assigned, type ColumnName, inTimeline, recordOf, type Written } from './column-sql.ts'
import {
  type DecisionRow,
  findChargebacks,
  inputsOf,
  nextSlice,
  readChargebacks,
  type Which,
} from './decision-inputs.ts'
import { loadTerms } from './terms.ts'

export interface Recomputing {
  now: Date
  /** Who or what requested it, for the timeline: 'api', 'scope', 'clock', 'deactivation', 'operator', … */
  source: string
  /** Further timeline details, such as a version; never personal data. */
  cause?: Readonly<Record<string, string | number | boolean>>
}

export interface Recomputed {
  seen: number
  changed: number
  /** Of these, those whose status changed. */
  moved: number
  /** Pass it as `after` for the next slice; null when this was the last. */
  next: string | null
}

/**
 * Decides chargebacks again after a change other than a PSP reading: rules, dates, data, a client's decision. Locks
 * rows in the order of their ids, applies the same rule as ingestion, and writes only what differs. Five statements for
 * any number of chargebacks, in the caller's transaction if there is one.
 */
export function recomputeChargebacks(db: Database, which: Which, how: Recomputing): Promise<Recomputed> {
  return inTransaction(db, async (trx) => {
    const rows = await readChargebacks(trx, await findChargebacks(trx, which, true))
    const closedCases = await readClosedCases(trx, [...new Set(rows.map((row) => row.merchantUuid))])
    const terms = await loadTerms(trx, [...new Set(rows.map((row) => row.integrationId))])
    const changes = rows.flatMap((row) => {
      const known = terms.get(row.integrationId)
      if (!known) return []
      const { subject, before } = inputsOf(row)
      const cases = closedCases(row.merchantUuid, row.reasonGroup)
      const change = changeOf(row, decideChargeback(known, { ...subject, closedCases: cases }, before, how.now))
      return differs(row, change) ? [change] : []
    })
    const moved = await writeDecisions(trx, changes, how)
    return { seen: rows.length, changed: changes.length, moved, next: nextSlice(which, rows) }
  })
}

/** Columns that a decision may change. */
const DECIDED = [
  ...(['status', 'statusReason', 'round', 'enrichmentRatio', 'winProbability', 'roiRecommendation'] as const),
  'scopeDecision',
] as const satisfies ColumnName[]
const ASSESSMENT = inTimeline('assessment')

type Change = { id: string } & Pick<Written, (typeof DECIDED)[number]>

const differs = (row: DecisionRow, change: Change): boolean =>
  DECIDED.some((name) =>
    name === 'scopeDecision' ? canonical(row[name]) !== canonical(change[name]) : row[name] !== change[name],
  )

const canonical = (scope: ScopeDecision | null) => scope && JSON.stringify(Object.entries(scope).sort())

const changeOf = (row: DecisionRow, decided: Decision): Change => ({
  id: row.id,
  status: decided.status,
  statusReason: decided.reason,
  round: decided.round,
  enrichmentRatio: decided.enrichmentRatio,
  winProbability: decided.winProbability,
  roiRecommendation: decided.recommendation,
  scopeDecision: storedScope(decided.scope),
})

/** @returns the number of changed statuses */
async function writeDecisions(db: Database, changes: Change[], { source, cause }: Recomputing): Promise<number> {
  if (changes.length === 0) return 0
  const { rows } = await sql<{ moved: number }>`
    with r as (
      select * from json_to_recordset(${JSON.stringify(changes)}::json) as r(${recordOf(['id', ...DECIDED])})
    ), before as (
      select c.id, c.status, c.status_reason, ${asObject('c', ASSESSMENT)} as had
      from chargeback c join r using (id)
    ),
    written as (
      update chargeback c set ${assigned(DECIDED)}, version = c.version + 1, updated_at = now()
      from r join before using (id) where c.id = r.id
      returning c.merchant_uuid, c.id, before.status as was, before.status_reason as why, c.status, c.status_reason,
        before.had, ${asObject('c', ASSESSMENT)} as has
    ), told as (
      insert into timeline_event (merchant_uuid, chargeback_id, source, what, before, after)
      select merchant_uuid, id, ${source}, case when was <> status then 'status changed' else 'reason changed' end,
        jsonb_build_object('status', was, 'reason', why),
        jsonb_build_object('status', status, 'reason', status_reason) || ${JSON.stringify(cause ?? {})}::jsonb
      from written where was <> status or why <> status_reason
      union all
      select merchant_uuid, id, ${source}, 'assessment changed', had, has from written where had <> has
    )
    select count(*)::int as moved from written where was <> status`.execute(db)
  return rows[0]?.moved ?? 0
}

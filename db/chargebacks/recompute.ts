import { type RawBuilder, sql } from 'kysely'
import {
  type Decided,
  type Decision,
  decideChargeback,
  type ScopeDecision,
  type Subject,
  storedScope,
} from '../../domain/decision.ts'
import { presentFacts } from '../../domain/enrichment.ts'
import { COMMAND_OF_ROUND, COMMAND_STATE } from '../commands/command-state.ts'
import type { Database } from '../core/connect.ts'
import { inTransaction } from '../core/transaction.ts'
import { readClosedCases } from './closed-cases.ts'
import {
  asObject,
  assigned,
  type ColumnName,
  inTimeline,
  recordOf,
  type Stored,
  selected,
  type Written,
} from './column-sql.ts'
import { loadTerms } from './terms.ts'

/** Chargebacks to decide again: given ids, or a slice of an integration's chargebacks that can still change. */
export type Which =
  | { chargebackIds: readonly string[]; merchantUuid?: string }
  | {
      integrationId: string
      merchantUuid?: string
      /** Last id of the previous slice. */
      after?: string | null
      /** Default: 500. */
      limit?: number
    }

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

const SLICE = 500

/**
 * Decides chargebacks again after a change other than a PSP reading: rules, dates, data, a client's decision. Locks
 * rows in the order of their ids, applies the same rule as ingestion, and writes only what differs. Five statements for
 * any number of chargebacks, in the caller's transaction if there is one.
 */
export function recomputeChargebacks(db: Database, which: Which, how: Recomputing): Promise<Recomputed> {
  return inTransaction(db, async (trx) => {
    const rows = await readChargebacks(trx, await lockChargebacks(trx, which))
    const closedCases = await readClosedCases(trx, [...new Set(rows.map((row) => row.merchantUuid))])
    const terms = await loadTerms(trx, [...new Set(rows.map((row) => row.integrationId))])
    const changes = rows.flatMap((row) => {
      const known = terms.get(row.integrationId)
      if (!known) return []
      const before = { ...row, recommendation: row.roiRecommendation }
      const change = changeOf(row, decideChargeback(known, subjectOf(row, closedCases), before, how.now))
      return differs(row, change) ? [change] : []
    })
    const moved = await writeDecisions(trx, changes, how)
    const full = !('chargebackIds' in which) && rows.length === (which.limit ?? SLICE)
    return { seen: rows.length, changed: changes.length, moved, next: full ? (rows.at(-1)?.id ?? null) : null }
  })
}

/** Inputs of a decision. */
const READ = [
  ...(['id', 'psp', 'integrationId', 'merchantUuid', 'signals', 'status', 'statusReason', 'pspStatus'] as const),
  ...(['lifecycleStage', 'round', 'shouldFight', 'winProbability', 'roiRecommendation', 'postingDate'] as const),
  ...(['dueDate', 'reasonGroup', 'reasonCode', 'cardScheme', 'paymentMethod', 'currency', 'amountMinor'] as const),
  ...(['amountExponent', 'dataPoints', 'bin', 'arn', 'billingCountry', 'cardLastFourDigits'] as const),
  ...(['transactionCreatedDate', 'enrichmentRatio', 'scopeDecision'] as const),
] satisfies ColumnName[]
/** Columns that a decision may change. */
const DECIDED = [
  ...(['status', 'statusReason', 'round', 'enrichmentRatio', 'winProbability', 'roiRecommendation'] as const),
  'scopeDecision',
] as const satisfies ColumnName[]
const ASSESSMENT = inTimeline('assessment')

type Row = Stored<(typeof READ)[number]> & Pick<Decided, 'accepted' | 'submitted' | 'atWork'>
type Change = { id: string } & Pick<Written, (typeof DECIDED)[number]>

async function lockChargebacks(db: Database, which: Which): Promise<string[]> {
  const tenant = which.merchantUuid ? sql`and c.merchant_uuid = ${which.merchantUuid}` : sql``
  const limit = 'chargebackIds' in which ? sql`` : sql`limit ${which.limit ?? SLICE}`
  const { rows } = await sql<{ id: string }>`
    select c.id from chargeback c where ${condition(which)} ${tenant} order by c.id ${limit} for update`.execute(db)
  return rows.map((row) => row.id)
}

/** A separate statement after the locks: it sees what earlier lock holders committed, including their commands. */
async function readChargebacks(db: Database, ids: string[]): Promise<Row[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<Row>`
    select ${selected(READ)}, ${COMMAND_STATE}
    from chargeback c ${COMMAND_OF_ROUND} where c.id = any(${ids}::uuid[]) order by c.id`.execute(db)
  return rows
}

function condition(which: Which): RawBuilder<unknown> {
  if ('chargebackIds' in which) return sql`c.id = any(${[...which.chargebackIds]}::uuid[])`
  const after = which.after ? sql`and c.id > ${which.after}` : sql``
  return sql`c.integration_id = ${which.integrationId} and c.psp_status in ('needs_response', 'unknown') ${after}`
}

function subjectOf(row: Row, closedCases: Awaited<ReturnType<typeof readClosedCases>>): Subject {
  const { merchantUuid, reasonGroup } = row
  return {
    ...row,
    closedCases: closedCases(merchantUuid, reasonGroup),
    present: [...new Set([...row.dataPoints, ...presentFacts(row)])],
  }
}

const differs = (row: Row, change: Change): boolean =>
  DECIDED.some((name) =>
    name === 'scopeDecision' ? canonical(row[name]) !== canonical(change[name]) : row[name] !== change[name],
  )

const canonical = (scope: ScopeDecision | null) => scope && JSON.stringify(Object.entries(scope).sort())

const changeOf = (row: Row, decided: Decision): Change => ({
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

import { type RawBuilder, sql } from 'kysely'
import type { Decided, Subject } from '../../domain/decision.ts'
import { presentFacts } from '../../domain/enrichment.ts'
import { COMMAND_OF_ROUND, COMMAND_STATE } from '../commands/command-state.ts'
import type { Database } from '../core/connect.ts'
import { type ColumnName, type Stored, selected } from './column-sql.ts'

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

const SLICE = 500

/** Inputs of a decision. */
const READ = [
  ...(['id', 'psp', 'integrationId', 'merchantUuid', 'signals', 'status', 'statusReason', 'pspStatus'] as const),
  ...(['lifecycleStage', 'round', 'shouldFight', 'winProbability', 'roiRecommendation', 'postingDate'] as const),
  ...(['dueDate', 'reasonGroup', 'reasonCode', 'cardScheme', 'paymentMethod', 'currency', 'amountMinor'] as const),
  ...(['amountExponent', 'dataPoints', 'bin', 'arn', 'billingCountry', 'cardLastFourDigits'] as const),
  ...(['transactionCreatedDate', 'enrichmentRatio', 'scopeDecision'] as const),
] satisfies ColumnName[]

/** A stored chargeback with everything that its next decision needs, apart from the merchant's closed cases. */
export type DecisionRow = Stored<(typeof READ)[number]> & Pick<Decided, 'accepted' | 'submitted' | 'atWork'>

/** Ids in ascending order. @param lock whether to lock their rows */
export async function findChargebacks(db: Database, which: Which, lock: boolean): Promise<string[]> {
  const tenant = which.merchantUuid ? sql`and c.merchant_uuid = ${which.merchantUuid}` : sql``
  const limit = 'chargebackIds' in which ? sql`` : sql`limit ${which.limit ?? SLICE}`
  const { rows } = await sql<{ id: string }>`
    select c.id from chargeback c where ${condition(which)} ${tenant} order by c.id ${limit} ${lock ? sql`for no key update` : sql``}`.execute(
    db,
  )
  return rows.map((row) => row.id)
}

/** A separate statement after the locks: it sees what earlier lock holders committed, including their commands. */
export async function readChargebacks(db: Database, ids: string[]): Promise<DecisionRow[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<DecisionRow>`
    select ${selected(READ)}, ${COMMAND_STATE}
    from chargeback c ${COMMAND_OF_ROUND} where c.id = any(${ids}::uuid[]) order by c.id`.execute(db)
  return rows
}

function condition(which: Which): RawBuilder<unknown> {
  if ('chargebackIds' in which) return sql`c.id = any(${[...which.chargebackIds]}::uuid[])`
  const after = which.after ? sql`and c.id > ${which.after}` : sql``
  return sql`c.integration_id = ${which.integrationId} and c.psp_status in ('needs_response', 'unknown') ${after}`
}

/** @returns what to pass as `after` for the next slice; null when this was the last */
export function nextSlice(which: Which, rows: readonly { id: string }[]): string | null {
  const full = !('chargebackIds' in which) && rows.length === (which.limit ?? SLICE)
  return full ? (rows.at(-1)?.id ?? null) : null
}

/** Subject of a decision, and the previous one. */
export function inputsOf(row: DecisionRow): { subject: Subject; before: Decided } {
  return {
    subject: { ...row, present: [...new Set([...row.dataPoints, ...presentFacts(row)])] },
    before: { ...row, recommendation: row.roiRecommendation },
  }
}

import { redecideChargebacks } from '../../../db/chargebacks/redecide.ts'
import { finishScopeRun, undoneScopeRuns } from '../../../db/chargebacks/scope-runs.ts'
import { enqueue } from '../../../db/core/outbox.ts'
import { scopeWorkflowId } from '../../contract.ts'
import type { ActivityDeps } from '../deps.ts'
import { runState } from '../operations.ts'

/** Runs looked after per reconciliation: the next one comes in seconds. */
const RUNS = 100

/**
 * Decides a slice of what can still change again, under the rules of now. After the last one, what was asked for is
 * done.
 */
export async function reevaluateSlice(
  deps: ActivityDeps,
  { integrationId, asked, after }: { integrationId: string; asked: number; after: string | null },
): Promise<{ seen: number; changed: number; next: string | null }> {
  await deps.reached('scope.before_slice', integrationId)
  const how = { now: deps.now(), source: 'scope' }
  const { seen, changed, next } = await redecideChargebacks(deps.db, { integrationId, after }, how)
  if (next === null) await finishScopeRun(deps.db, { integrationId, asked })
  return { seen, changed, next }
}

/** Evaluations that were asked for and have no run. */
export async function reconcileScopeRuns(deps: ActivityDeps): Promise<number> {
  let mended = 0
  for (const { integrationId, merchantUuid, source } of await undoneScopeRuns(deps.db, RUNS)) {
    if ((await runState(deps, scopeWorkflowId(merchantUuid, source))) === 'RUNNING') continue
    await enqueue(deps.db, { kind: 'reevaluate_scope', payload: { integrationId } })
    mended++
  }
  return mended
}

import { recomputeChargebacks } from '../../../db/chargebacks/recompute.ts'
import { enqueue } from '../../../db/core/outbox.ts'
import { finishScopeRun, undoneScopeRuns } from '../../../db/scope-rules/scope-runs.ts'
import { scopeWorkflowId } from '../../contract.ts'
import type { ActivityDeps } from '../deps.ts'
import { runState } from '../operations.ts'

/** Evaluations per reconciliation; the next run follows within seconds. */
const RUNS = 100

/** Decides a slice of the open chargebacks again under the current rules. The last slice completes the request. */
export async function reevaluateSlice(
  deps: ActivityDeps,
  { integrationId, asked, after }: { integrationId: string; asked: number; after: string | null },
): Promise<{ seen: number; changed: number; next: string | null }> {
  const how = { now: deps.now(), source: 'scope' }
  const { seen, changed, next } = await recomputeChargebacks(deps.db, { integrationId, after }, how)
  if (next === null) await finishScopeRun(deps.db, { integrationId, asked })
  return { seen, changed, next }
}

/** Starts missing workflow runs of requested evaluations. */
export async function reconcileScopeRuns(deps: ActivityDeps): Promise<number> {
  let mended = 0
  for (const { integrationId, merchantUuid, source } of await undoneScopeRuns(deps.db, RUNS)) {
    if ((await runState(deps, scopeWorkflowId(merchantUuid, source))) === 'RUNNING') continue
    await enqueue(deps.db, { kind: 'reevaluate_scope', payload: { integrationId } })
    mended++
  }
  return mended
}

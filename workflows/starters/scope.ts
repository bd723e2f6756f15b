import { dueScopeRun } from '../../db/scope-rules/scope-runs.ts'
import {
  QUEUES,
  type ReevaluateScopeInput,
  SCOPE_CHANGED,
  type ScopeChange,
  SEARCH_ATTRIBUTES,
  scopeWorkflowId,
  WORKFLOWS,
} from '../contract.ts'
import type { DispatchDeps } from './deps.ts'

/** Signals the change to the merchant's workflow at that PSP, with a start if necessary; nothing when all is done. */
export async function startScopeRun(deps: DispatchDeps, integrationId: string): Promise<void> {
  const run = await dueScopeRun(deps.db, integrationId)
  if (!run) return
  const { merchantUuid, source } = run
  const change: ScopeChange = { integrationId, asked: run.asked }
  const due: [string, number][] = [[integrationId, run.asked]]
  const input: ReevaluateScopeInput = { known: due, due, totals: { seen: 0, changed: 0 } }
  await deps.temporal.workflow.signalWithStart(WORKFLOWS.reevaluateScope, {
    taskQueue: QUEUES.operations,
    workflowId: scopeWorkflowId(merchantUuid, source),
    args: [input],
    signal: SCOPE_CHANGED,
    signalArgs: [change],
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.MerchantId, value: merchantUuid },
      { key: SEARCH_ATTRIBUTES.Psp, value: source },
    ],
    staticSummary: `decide chargebacks of merchant ${merchantUuid} at ${source} again under changed scope rules`,
    staticDetails: 'Touches no PSP. Safe to terminate: the reconciler starts what is left within a minute.',
  })
}

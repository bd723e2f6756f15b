import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/client'
import { readUnfinishedRemoval } from '../../db/erasure/removals.ts'
import { QUEUES, type RemoveDataSubjectInput, removalWorkflowId, SEARCH_ATTRIBUTES, WORKFLOWS } from '../contract.ts'
import type { DispatchDeps } from './deps.ts'

/** Starts the erasure workflow; starts it again if its last run closed before the row was done. */
export async function startRemoval(deps: DispatchDeps, removalId: string): Promise<void> {
  const removal = await readUnfinishedRemoval(deps.db, removalId)
  if (!removal) return
  const input: RemoveDataSubjectInput = { removalId, pace: deps.polling.pace }
  await deps.temporal.workflow.start(WORKFLOWS.removeDataSubject, {
    taskQueue: QUEUES.operations,
    workflowId: removalWorkflowId(removalId),
    args: [input],
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.MerchantId, value: removal.merchantUuid },
      { key: SEARCH_ATTRIBUTES.CommandId, value: removalId },
    ],
    staticSummary: `erase a data subject of merchant ${removal.merchantUuid}`,
    staticDetails: 'Touches no PSP. Safe to terminate: the reconciler starts what is left within a minute.',
  })
}

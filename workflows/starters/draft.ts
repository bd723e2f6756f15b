import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, WorkflowIdConflictPolicy } from '@temporalio/client'
import { type DraftEvidenceInput, draftWorkflowId, QUEUES, SEARCH_ATTRIBUTES, WORKFLOWS } from '../contract.ts'

/** The longest a caller waits for Temporal to take it, and then for the answer. */
const START_MS = 1_500
const ANSWER_MS = 10_000
/** Without a worker it would lie there until one comes, for nobody. */
const RUN_MS = 15_000

/**
 * Runs a dry run that a client waits for. A worker does it: only there are PSP secrets opened. There is no outbox behind
 * it, for nobody waits for an answer that comes later.
 * @returns whether it was done; false when Temporal, the workers or the PSP don't answer in time
 */
export async function runDraft(
  temporal: Client,
  draft: DraftEvidenceInput & { chargebackId: string },
): Promise<boolean> {
  const { planId, psp, chargebackId } = draft
  const stop = new AbortController()
  try {
    const handle = await temporal.connection.withDeadline(Date.now() + START_MS, () =>
      temporal.workflow.start(WORKFLOWS.draftEvidence, {
        taskQueue: QUEUES.commands,
        workflowId: draftWorkflowId(planId),
        args: [{ planId, psp } satisfies DraftEvidenceInput],
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
        workflowRunTimeout: RUN_MS,
        typedSearchAttributes: [
          { key: SEARCH_ATTRIBUTES.Psp, value: psp },
          { key: SEARCH_ATTRIBUTES.ChargebackId, value: chargebackId },
        ],
        staticSummary: `plan evidence for ${chargebackId} via ${psp}, a dry run`,
        priority: { priorityKey: 2 },
      }),
    )
    const late = sleep(ANSWER_MS, false, { signal: stop.signal }).catch(() => false)
    return await Promise.race([handle.result().then(() => true), late])
  } catch {
    return false
  } finally {
    stop.abort()
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, WorkflowIdConflictPolicy } from '@temporalio/client'
import { type DraftEvidenceInput, draftWorkflowId, QUEUES, SEARCH_ATTRIBUTES, WORKFLOWS } from '../contract.ts'

/** The longest waits for Temporal to accept it, and for the result. */
const START_MS = 1_500
const ANSWER_MS = 10_000
/** Without a worker the run would otherwise wait for one, after the client has left. */
const RUN_MS = 15_000

/**
 * Runs a dry run for a waiting client. A worker does it, because only workers decrypt PSP secrets. It has no outbox
 * row, because a late result is useless.
 * @returns whether it was done; false when Temporal, the workers or the PSP do not respond in time
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

import { type Client, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/client'
import type { Database } from '../../db/core/connect.ts'
import { rotationSubject } from '../../db/integrations/secret-rotations.ts'
import { QUEUES, type RotateSecretInput, rotationWorkflowId, SEARCH_ATTRIBUTES, WORKFLOWS } from '../contract.ts'

/** Longer than a client waits: a later run is useless. */
const RUN_MS = 25_000

/** Starts the check of a new secret, unless the client no longer waits. */
export async function startRotation(deps: { db: Database; temporal: Client }, rotationId: string): Promise<void> {
  const subject = await rotationSubject(deps.db, rotationId)
  if (!subject) return
  const { integrationId, merchantUuid, source } = subject
  await deps.temporal.workflow.start(WORKFLOWS.rotateSecret, {
    taskQueue: QUEUES.commands,
    workflowId: rotationWorkflowId(rotationId),
    args: [{ rotationId, psp: source } satisfies RotateSecretInput],
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    workflowRunTimeout: RUN_MS,
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.MerchantId, value: merchantUuid },
      { key: SEARCH_ATTRIBUTES.IntegrationId, value: integrationId },
      { key: SEARCH_ATTRIBUTES.Psp, value: source },
    ],
    staticSummary: `replace the ${source} secret of integration ${integrationId}`,
    priority: { priorityKey: 2 },
  })
}

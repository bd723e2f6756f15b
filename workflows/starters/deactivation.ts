import { WithStartWorkflowOperation, WorkflowIdConflictPolicy, WorkflowUpdateFailedError } from '@temporalio/client'
import { type Deactivated, readDeactivationPlan } from '../../db/integrations/deactivations.ts'
import {
  type DeactivateOnDateInput,
  type DeactivationDate,
  deactivationWorkflowId,
  QUEUES,
  RESCHEDULE,
  SEARCH_ATTRIBUTES,
  WORKFLOWS,
} from '../contract.ts'
import type { DispatchDeps } from './deps.ts'

/**
 * Starts the workflow that waits for the date, or moves the date of the waiting one. This needs a live worker; without
 * one it fails and the message stays in the outbox.
 */
export async function startDeactivation(deps: DispatchDeps, which: Deactivated): Promise<void> {
  const plan = await readDeactivationPlan(deps.db, which)
  if (!plan || plan.done) return
  const { kind, id } = which
  const date: DeactivationDate = { effectiveAt: plan.date.toISOString(), revision: plan.revision }
  const input: DeactivateOnDateInput = { kind, id, ...date, pace: deps.polling.pace }
  const startWorkflowOperation = new WithStartWorkflowOperation(WORKFLOWS.deactivateOnDate, {
    taskQueue: QUEUES.operations,
    workflowId: deactivationWorkflowId(which),
    args: [input],
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.MerchantId, value: plan.merchantUuid },
      ...(kind === 'integration' ? [{ key: SEARCH_ATTRIBUTES.IntegrationId, value: id }] : []),
      { key: SEARCH_ATTRIBUTES.EffectiveAt, value: plan.date },
    ],
    staticSummary: `deactivate ${kind} ${id} on its date`,
    staticDetails:
      'Waits for the date, then takes chargebacks out of handling. Safe to terminate: the date is in Postgres, and the reconciler starts it again within a minute.',
  })
  try {
    // No updateId derived from the revision: a server that has seen it in a closed run returns that result and starts
    // no run.
    await deps.temporal.workflow.executeUpdateWithStart(RESCHEDULE, { startWorkflowOperation, args: [date] })
  } catch (error) {
    // The workflow already has a later date.
    if (!(error instanceof WorkflowUpdateFailedError)) throw error
  }
}

import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/client'
import { type BuildPackageInput, packageWorkflowId, QUEUES, SEARCH_ATTRIBUTES, WORKFLOWS } from '../contract.ts'
import type { StartDeps } from './command.ts'

/** Starts the workflow that builds a chargeback's package, unless one runs. */
export async function startPackage(
  { temporal }: Pick<StartDeps, 'temporal'>,
  { chargebackId, merchantUuid }: { chargebackId: string; merchantUuid: string },
): Promise<void> {
  const input: BuildPackageInput = { chargebackId }
  await temporal.workflow.start(WORKFLOWS.buildPackage, {
    taskQueue: QUEUES.operations,
    workflowId: packageWorkflowId(chargebackId),
    args: [input],
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.MerchantId, value: merchantUuid },
      { key: SEARCH_ATTRIBUTES.ChargebackId, value: chargebackId },
    ],
    staticSummary: `build the evidence package of ${chargebackId}`,
    staticDetails: 'Sends nothing to the PSP. Safe to terminate: the reconciler starts it again within a minute.',
  })
}

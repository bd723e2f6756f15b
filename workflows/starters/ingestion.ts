import { WorkflowIdConflictPolicy, WorkflowIdReusePolicy } from '@temporalio/client'
import { readUnprocessed } from '../../db/polling/ingestions.ts'
import { type IngestRawDataInput, ingestionWorkflowId, QUEUES, SEARCH_ATTRIBUTES, WORKFLOWS } from '../contract.ts'
import type { DispatchDeps } from './deps.ts'

/** Starts the workflow that applies a posted object, unless it was applied meanwhile. */
export async function startIngestion(deps: DispatchDeps, ingestionId: string): Promise<void> {
  const ingestion = await readUnprocessed(deps.db, ingestionId)
  if (!ingestion) return
  const { merchantUuid, integrationId, dataSource, dataType } = ingestion
  const input: IngestRawDataInput = { ingestionId, dataSource, dataType, pace: deps.polling.pace }
  await deps.temporal.workflow.start(WORKFLOWS.ingestRawData, {
    taskQueue: QUEUES.operations,
    workflowId: ingestionWorkflowId(ingestionId),
    args: [input],
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    // An object that waited for its chargeback is applied by a further run.
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    typedSearchAttributes: [
      { key: SEARCH_ATTRIBUTES.MerchantId, value: merchantUuid },
      { key: SEARCH_ATTRIBUTES.IntegrationId, value: integrationId },
      { key: SEARCH_ATTRIBUTES.Psp, value: dataSource },
    ],
    staticSummary: `apply raw data (${dataType} of ${dataSource}) to integration ${integrationId}`,
  })
}

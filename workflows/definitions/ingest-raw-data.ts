import * as wf from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import { type IngestRawDataInput, QUEUES } from '../contract.ts'

/** Applies one object that a client posted in a sandbox. One that waits for its chargeback is started again by the reconciler. */
export async function ingestRawData(input: IngestRawDataInput): Promise<{ status: string }> {
  const { applyRawData } = wf.proxyActivities<Pick<Activities, 'applyRawData'>>({
    taskQueue: QUEUES.records,
    startToCloseTimeout: '30s',
    retry: { initialInterval: input.pace.retryMs, maximumInterval: '1m' },
    summary: `apply ${input.dataType} of ${input.dataSource}`,
  })
  const applied = await applyRawData({ ingestionId: input.ingestionId })
  wf.setCurrentDetails(applied.status)
  return applied
}

import * as wf from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import type { IngestRawDataInput } from '../contract.ts'
import * as profiles from './activity-profiles.ts'

/** Applies one object that a client posted in a sandbox. The reconciler restarts one that waits for its chargeback. */
export async function ingestRawData(input: IngestRawDataInput): Promise<{ status: string }> {
  const { applyRawData } = wf.proxyActivities<Pick<Activities, 'applyRawData'>>(
    profiles.rawData(input.pace, `apply ${input.dataType} of ${input.dataSource}`),
  )
  const applied = await applyRawData({ ingestionId: input.ingestionId })
  wf.setCurrentDetails(applied.status)
  return applied
}

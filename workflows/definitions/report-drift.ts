import * as wf from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import { QUEUES, type ReportDriftInput } from '../contract.ts'

/** Compares what the PSP has with what Recoup has. The references are in the report's row; here are counts only. */
export async function reportDrift(input: ReportDriftInput): Promise<Record<string, number> | { error: string }> {
  const { compareWithPsp } = wf.proxyActivities<Pick<Activities, 'compareWithPsp'>>({
    taskQueue: QUEUES.polling,
    startToCloseTimeout: '2h',
    scheduleToCloseTimeout: '6h',
    heartbeatTimeout: input.pace.heartbeatMs,
    retry: { initialInterval: input.pace.retryMs, maximumInterval: '5m' },
    priority: { priorityKey: 4, fairnessKey: input.integrationId },
    summary: `compare with the list of ${input.source}`,
  })
  const result = await compareWithPsp({ integrationId: input.integrationId })
  wf.setCurrentDetails(
    Object.entries(result)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n\n'),
  )
  return result
}

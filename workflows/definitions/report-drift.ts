import * as wf from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import type { ReportDriftInput } from '../contract.ts'
import * as profiles from './activity-profiles.ts'

/** Compares what the PSP has with what Recoup has. The references are in the report's row; here are counts only. */
export async function reportDrift(input: ReportDriftInput): Promise<Record<string, number> | { error: string }> {
  const { compareWithPsp } = wf.proxyActivities<Pick<Activities, 'compareWithPsp'>>(
    profiles.drift(input, `compare with the list of ${input.source}`),
  )
  const result = await compareWithPsp({ integrationId: input.integrationId })
  wf.setCurrentDetails(
    Object.entries(result)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n\n'),
  )
  return result
}

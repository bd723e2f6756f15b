import * as wf from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import type { ReportDriftInput } from '../contract.ts'
import * as profiles from './activity-profiles.ts'

/** Compares the PSP's disputes with Recoup's. The report's row lists the references; the history has counts only. */
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

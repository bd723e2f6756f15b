import * as wf from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import type { DraftEvidenceInput } from '../contract.ts'
import * as profiles from './activity-profiles.ts'

/** Asks the PSP what it takes and stores the result with the plan. Sends no evidence; the client requests a lost run again. */
export async function draftEvidence({ planId, psp }: DraftEvidenceInput): Promise<void> {
  const { draftEvidencePlan } = wf.proxyActivities<Pick<Activities, 'draftEvidencePlan'>>(
    profiles.dryRun(`describe, plan for ${psp}`),
  )
  await draftEvidencePlan({ planId })
}

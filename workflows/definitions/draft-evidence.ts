import * as wf from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import type { DraftEvidenceInput } from '../contract.ts'
import * as profiles from './activity-profiles.ts'

/** Reads at the PSP and writes the answer to the row of the plan. Nothing is sent; a run that is lost is asked for again. */
export async function draftEvidence({ planId, psp }: DraftEvidenceInput): Promise<void> {
  const { draftEvidencePlan } = wf.proxyActivities<Pick<Activities, 'draftEvidencePlan'>>(
    profiles.dryRun(`describe, plan for ${psp}`),
  )
  await draftEvidencePlan({ planId })
}

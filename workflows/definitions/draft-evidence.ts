import * as wf from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import { type DraftEvidenceInput, QUEUES } from '../contract.ts'

/** A dry run that a client waits for: what a submission would send. Nobody waits longer than this. */
const PATIENCE_MS = 8_000

/** Reads at the PSP and writes the answer to the row of the plan. Nothing is sent; a run that is lost is asked for again. */
export async function draftEvidence({ planId, psp }: DraftEvidenceInput): Promise<void> {
  const { draftEvidencePlan } = wf.proxyActivities<Pick<Activities, 'draftEvidencePlan'>>({
    taskQueue: QUEUES.commands,
    startToCloseTimeout: PATIENCE_MS,
    scheduleToCloseTimeout: PATIENCE_MS,
    retry: { initialInterval: '500ms', backoffCoefficient: 2 },
    priority: { priorityKey: 2 },
    summary: `describe, plan for ${psp}`,
  })
  await draftEvidencePlan({ planId })
}

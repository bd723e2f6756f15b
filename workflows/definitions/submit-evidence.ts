import * as wf from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import type { SubmitEvidenceInput } from '../contract.ts'
import * as profiles from './activity-profiles.ts'
import { runCommand } from './command-run.ts'

type Steps = Pick<Activities, 'planEvidence' | 'uploadFile' | 'stageAtPsp' | 'submitAtPsp'>

/** Submits one file as evidence for one chargeback at its PSP: plan, upload, stage, submit, confirm. */
export async function submitEvidence(input: SubmitEvidenceInput): Promise<{ probe: string; sent: boolean }> {
  const { submitEvidenceId, pace, psp } = input
  const at = (summary: string) => wf.proxyActivities<Steps>(profiles.command(input, summary))
  const uploading = (summary: string) => wf.proxyActivities<Steps>(profiles.upload(input, summary))
  const { recordSubmission } = wf.proxyActivities<Pick<Activities, 'recordSubmission'>>(profiles.projection(pace))
  const doing = `submitting evidence for chargeback ${input.chargebackId} at ${psp}`

  return runCommand({ commandId: submitEvidenceId, pace, doing }, async () => {
    const plan = await at(`describe, plan for ${psp}`).planEvidence({ submitEvidenceId })
    for (let step = 0; step < plan.uploads; step++)
      await uploading(`upload ${step + 1} of ${plan.uploads} to ${psp}`).uploadFile({ submitEvidenceId, step })
    if (plan.staged) await at(`stage, read back at ${psp}`).stageAtPsp({ submitEvidenceId })
    const { probe, sent } = await at(`probe, submit, confirm at ${psp}`).submitAtPsp({ submitEvidenceId })
    await recordSubmission({ submitEvidenceId })
    const details = sent ? 'submitted and confirmed by a re-read' : 'was submitted already, nothing was sent'
    return { outcome: { probe, sent }, details }
  })
}

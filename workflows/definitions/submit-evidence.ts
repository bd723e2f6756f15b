import * as wf from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import { QUEUES, type SubmitEvidenceInput } from '../contract.ts'
import { recording, runCommand, untilDeadline } from './command-run.ts'

type Steps = Pick<Activities, 'planEvidence' | 'uploadFile' | 'stageAtPsp' | 'submitAtPsp'>

/** Submits one file as evidence for one chargeback at its PSP: planned, uploaded, staged, submitted, confirmed. */
export async function submitEvidence(input: SubmitEvidenceInput): Promise<{ probe: string; sent: boolean }> {
  const { submitEvidenceId, pace, psp } = input
  const options = (summary: string): wf.ActivityOptions => ({
    taskQueue: QUEUES.commands,
    startToCloseTimeout: pace.commandMs,
    scheduleToCloseTimeout: untilDeadline(input.deadline),
    retry: { initialInterval: pace.retryMs, backoffCoefficient: 2, maximumInterval: '10m' },
    priority: { priorityKey: 1, fairnessKey: input.integrationId },
    summary,
  })
  const at = (summary: string) => wf.proxyActivities<Steps>(options(summary))
  const uploading = (summary: string) =>
    wf.proxyActivities<Steps>({ ...options(summary), startToCloseTimeout: '15m', heartbeatTimeout: pace.heartbeatMs })
  const { recordSubmission } = wf.proxyActivities<Pick<Activities, 'recordSubmission'>>(recording(pace))
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

import { ApplicationFailure } from '@temporalio/common'
import type { SubmissionRequest } from '../../../adapters/contract.ts'
import { PspError } from '../../../adapters/errors.ts'
import type { CommandAtWork } from '../../../db/commands/commands.ts'
import { loadPlan, recordLeftOut, recordUpload, type StoredPlan } from '../../../db/evidence/evidence-plans.ts'
import { effectName } from '../../../domain/dispute.ts'
import type { PlannedSubmission } from '../../../domain/evidence/submission.ts'
import type { ActivityDeps } from '../deps.ts'
import { heartbeating } from '../heartbeating.ts'
import { recordSuccess } from './acceptance.ts'
import { evidenceFile, fitDocument, sha256Of } from './documents.ts'
import { type Action, applyOnce, type EffectOutcome, isOutlived } from './effects.ts'
import { prepareOnce } from './preparing.ts'
import { connectWork, probeAtPsp, unfinishedCommand } from './work.ts'

type Planned = StoredPlan & { planned: PlannedSubmission }

/** @throws a definite failure when there is no plan: nothing was ever sent */
async function planOf(deps: ActivityDeps, submitEvidenceId: string): Promise<Planned> {
  const stored = await loadPlan(deps.db, deps.ring, submitEvidenceId)
  if (!stored?.planned) throw ApplicationFailure.nonRetryable('there is no plan of what to send', 'not_found')
  return { ...stored, planned: stored.planned }
}

/** Uploads one document, in a separate call. An uploaded document is not sent again; a repeated upload is harmless. */
export async function uploadFile(
  deps: ActivityDeps,
  input: { submitEvidenceId: string; step: number },
): Promise<{ sent: boolean }> {
  const { submitEvidenceId, step } = input
  const command = await unfinishedCommand(deps, submitEvidenceId)
  if (!command) return { sent: false }
  const stored = await planOf(deps, submitEvidenceId)
  const field = stored.planned.fields[step]
  if (field === undefined || stored.uploaded[field] !== undefined) return { sent: false }
  using _beats = heartbeating()
  const work = await connectWork(deps, command)
  const file = await documentOf(deps, command, stored)
  await prepareOnce(deps, work, `upload:${submitEvidenceId}:${step}`, async (key) => {
    const uploaded = await work.psp.call(async (adapter) => {
      if (!adapter.uploadFile) throw new PspError('invalid_request', `${work.connection.source} takes no uploads`)
      const { reference, chargebackId: owner } = command
      return adapter.uploadFile({ reference, file, idempotencyKey: key, digest: stored.planned.digest, owner })
    })
    await recordUpload(deps.db, submitEvidenceId, {
      field,
      sha256: stored.planned.document.sha256,
      pspFile: uploaded.fileReference,
    })
  })
  return { sent: true }
}

/**
 * Stages the evidence at the PSP without submitting it, and reads it back to confirm that it is complete. Reversible.
 */
export async function stageAtPsp(
  deps: ActivityDeps,
  input: { submitEvidenceId: string },
): Promise<{ staged: boolean }> {
  const command = await unfinishedCommand(deps, input.submitEvidenceId)
  if (!command) return { staged: false }
  const stored = await planOf(deps, input.submitEvidenceId)
  const work = await connectWork(deps, command)
  const probe = await probeAtPsp(deps, work, questionOf(command, stored))
  // Answered already, or reopened by the PSP: leave it to the submission to decide.
  if (probe.answer !== 'not_done' || (await isOutlived(deps, command))) return { staged: false }
  await prepareOnce(deps, work, `stage:${command.commandId}`, async (idempotencyKey) => {
    const request = { ...(await requestOf(deps, command, stored)), idempotencyKey }
    const stage = () =>
      work.psp.call(async (adapter) => {
        if (!adapter.stageEvidence) throw new PspError('invalid_request', `${work.connection.source} stages nothing`)
        return adapter.stageEvidence(request)
      })
    const first = await stage()
    // A repeated call reads first: it returns "already applied" only when the evidence is complete.
    const last = first.result === 'already_applied' ? first : await stage()
    if (last.leftOut) await recordLeftOut(deps.db, input.submitEvidenceId, last.leftOut)
    if (last.result !== 'already_applied')
      throw new PspError('outcome_unknown', 'the PSP does not show what was staged yet', { replayed: true })
  })
  return { staged: true }
}

/** Probe, submit and confirm in one attempt; see `applyOnce`. */
export async function submitAtPsp(deps: ActivityDeps, input: { submitEvidenceId: string }): Promise<EffectOutcome> {
  return applyOnce(deps, input.submitEvidenceId, async (command) =>
    submission(deps, command, await planOf(deps, command.commandId)),
  )
}

function submission(deps: ActivityDeps, command: CommandAtWork, stored: Planned): Action {
  return {
    effect: effectName('submit', command, command.round),
    question: questionOf(command, stored),
    async prepare() {
      const request = await requestOf(deps, command, stored)
      return async (adapter, call) => {
        if (!adapter.submitEvidence) throw new PspError('invalid_request', `${command.source} takes no evidence`)
        return adapter.submitEvidence({ ...request, ...call })
      }
    },
  }
}

/** The question whether the PSP has the submission. */
export const questionOf = (
  command: CommandAtWork,
  { planned: { digest, submissionsBefore }, texts }: Pick<Planned, 'planned' | 'texts'>,
) => ({ kind: 'submission', reference: command.reference, digest, submissionsBefore, texts }) as const

async function requestOf(
  deps: ActivityDeps,
  command: CommandAtWork,
  stored: Planned,
): Promise<Omit<SubmissionRequest, 'idempotencyKey'>> {
  const { planned, texts } = stored
  const request = { reference: command.reference, digest: planned.digest, owner: command.chargebackId, texts }
  if (planned.uploads) return { ...request, files: stored.uploaded }
  const document = await documentOf(deps, command, stored)
  return { ...request, files: {}, documents: Object.fromEntries(planned.fields.map((field) => [field, document])) }
}

/** The document as planned, byte for byte. */
async function documentOf(deps: ActivityDeps, command: CommandAtWork, { fileId, planned }: Planned) {
  const file = await evidenceFile(deps, { merchantUuid: command.merchantUuid, fileId })
  if (!file) throw ApplicationFailure.nonRetryable('The file was erased before it could be sent.', 'evidence_refused')
  const asItIs = { document: { name: file.name, type: file.type, data: file.content } }
  const fitted = planned.converted
    ? await fitDocument(deps.files, file, { fileTypes: [planned.converted.to], maxPages: null })
    : asItIs
  if ('refused' in fitted) throw ApplicationFailure.nonRetryable(fitted.refused, 'evidence_refused')
  if (sha256Of(fitted.document.data) !== planned.document.sha256)
    throw ApplicationFailure.nonRetryable('The file is not what was planned any more.', 'evidence_refused')
  return fitted.document
}

export async function recordSubmission(deps: ActivityDeps, input: { submitEvidenceId: string }): Promise<void> {
  await recordSuccess(deps, input.submitEvidenceId)
}

import { CLOSED_WORDS, type CommandStatus } from '../acceptance.ts'
import type { FurtherAnswer, LifecycleStage, PspStatus } from '../chargeback.ts'
import { isOverdue } from '../deadlines.ts'
import type { IntegrationStatus } from '../integration.ts'
import type { AnswerStages } from './answer-stages.ts'

export const SUBMISSION_REFUSALS = [
  'acceptance_exists',
  'other_file_submitted',
  'not_open',
  'overdue',
  'evidence_not_supported',
  'integration_not_usable',
] as const
export type SubmissionRefusal = (typeof SUBMISSION_REFUSALS)[number]

export interface SubmissionInput {
  pspStatus: PspStatus
  /** Further evidence that the PSP accepts without requesting it. */
  furtherAnswer: FurtherAnswer | null
  lifecycleStage: LifecycleStage
  dueDate: Date | null
  now: Date
  integrationStatus: IntegrationStatus
  contestStages: AnswerStages
  /** The command of the chargeback's current round that has not failed. */
  openCommand: { kind: 'acceptance' | 'evidence_submission'; status: CommandStatus } | null
}

const UNUSABLE: Record<Exclude<IntegrationStatus, 'SUCCESSFUL'>, string> = {
  PENDING: 'The integration is not verified yet: try again once its status is SUCCESSFUL.',
  FAILED: 'The PSP refuses the credentials of the integration: renew them, then try again.',
  INACTIVE: 'The integration is deactivated: submit the evidence at the PSP.',
}

/**
 * Why evidence can't be submitted for a chargeback, or null when it can (docs/interface.md#evidence-submission). Codes
 * are stable, messages are for the merchant. The same file again is no refusal: the caller returns the existing
 * submission, and asks here only about another file. A further submission requires the PSP's offer: it follows a sent
 * one, also after the due date.
 */
export function submissionRefusal(input: SubmissionInput): { code: SubmissionRefusal; message: string } | null {
  const { pspStatus, lifecycleStage, openCommand, contestStages, integrationStatus } = input
  if (openCommand?.kind === 'acceptance')
    return {
      code: 'acceptance_exists',
      message: 'The chargeback has been accepted or is being accepted: it can no longer be contested.',
    }
  const further = input.furtherAnswer !== null
  if (openCommand && !(further && openCommand.status === 'succeeded'))
    return {
      code: 'other_file_submitted',
      message: 'Another file has been submitted or is being submitted for this chargeback: one submission is taken.',
    }
  if (pspStatus !== 'needs_response' && !further)
    return { code: 'not_open', message: `The chargeback is not open at the PSP: ${CLOSED_WORDS[pspStatus]}.` }
  if (!further && isOverdue(input.dueDate, input.now))
    return { code: 'overdue', message: 'The due date of the chargeback has passed: the PSP decides without an answer.' }
  if (contestStages === null)
    return {
      code: 'evidence_not_supported',
      message: 'This PSP takes no evidence through its interface: submit it in its dashboard.',
    }
  if (contestStages !== 'by_link' && !contestStages.includes(lifecycleStage))
    return {
      code: 'evidence_not_supported',
      message: `This PSP takes no evidence at the stage ${lifecycleStage}. Stages it does: ${contestStages.join(', ')}.`,
    }
  if (integrationStatus !== 'SUCCESSFUL')
    return { code: 'integration_not_usable', message: UNUSABLE[integrationStatus] }
  return null
}

/**
 * The content of a submission, fixed before anything is sent. It has no personal data: texts are stored separately,
 * sealed.
 */
export interface PlannedSubmission {
  /** Fields of the document, in order. */
  fields: string[]
  /** Whether documents are uploaded in separate calls, and whether the PSP supports staging. */
  uploads: boolean
  staged: boolean
  /** The document as sent; `bytes` and `sha256` (hex) after a conversion. */
  document: { type: string; bytes: number; sha256: string }
  /** MIME types, if the file was converted. */
  converted: { from: string; to: string } | null
  /** 64 hex digits, specific to this chargeback and round: the mark at PSPs that store marks. */
  digest: string
  /** The PSP's number of submissions before Recoup's. */
  submissionsBefore: number
  dropped: { what: string; why: string }[]
  /** Texts that were cut, lengths in characters. */
  shortened: { field: string; from: number; to: number }[]
}

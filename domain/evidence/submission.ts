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
  /** What the PSP takes of this dispute though it doesn't wait for an answer. */
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
 * Why evidence can't be submitted for a chargeback, or null when it can (docs/interface.md#evidence-submission).
 * Codes are stable, messages are for the merchant. The same file again is no refusal: the caller answers with the submission
 * that exists, and asks here only about another one. A further answer is offered by the PSP itself: it comes after one that
 * went out, and after the due date.
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

/** What a submission sends, fixed before anything is sent. No person is in it: texts are kept apart, sealed. */
export interface PlannedSubmission {
  /** Places that the document goes to, in order. */
  fields: string[]
  /** Whether the PSP gets each document in a call of its own, and whether it can stage before it submits. */
  uploads: boolean
  staged: boolean
  /** The document as it is sent; `bytes` and `sha256` (hex) after a conversion. */
  document: { type: string; bytes: number; sha256: string }
  /** MIME types, where the file was converted. */
  converted: { from: string; to: string } | null
  /** 64 hex digits, of this chargeback and round alone: what a PSP that keeps marks is marked with. */
  digest: string
  /** Submissions that the PSP counted before ours. */
  submissionsBefore: number
  dropped: { what: string; why: string }[]
  /** Texts that were cut, lengths in characters. */
  shortened: { field: string; from: number; to: number }[]
}

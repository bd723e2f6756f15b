import type { LifecycleStage, PspStatus } from './chargeback.ts'
import { isOverdue } from './deadlines.ts'
import type { AnswerStages } from './evidence/answer-stages.ts'
import type { IntegrationStatus } from './integration.ts'

export const COMMAND_STATUSES = ['created', 'inProgress', 'failed', 'succeeded'] as const
export type CommandStatus = (typeof COMMAND_STATUSES)[number]

export const ACCEPTANCE_REFUSALS = [
  'evidence_submission_exists',
  'not_open',
  'overdue',
  'acceptance_not_supported',
  'integration_not_usable',
] as const
export type AcceptanceRefusal = (typeof ACCEPTANCE_REFUSALS)[number]

export interface AcceptanceInput {
  pspStatus: PspStatus
  lifecycleStage: LifecycleStage
  dueDate: Date | null
  now: Date
  integrationStatus: IntegrationStatus
  acceptStages: AnswerStages
  /** The latest command of the chargeback's current round. */
  openCommand: { kind: 'acceptance' | 'evidence_submission'; status: CommandStatus } | null
}

/** The state of a closed chargeback at the PSP, as the end of a sentence. */
export const CLOSED_WORDS: Record<Exclude<PspStatus, 'needs_response'>, string> = {
  under_review: 'it is under review',
  won: 'it is already won',
  lost: 'it is already lost or accepted',
  split: 'it is already decided, partly for each side',
  not_applicable: 'it needs no answer',
  evidence_not_submitted_by_psp: 'it ended without the evidence being forwarded',
  unknown: 'its status there is not known yet; try again after the next poll',
}

const UNUSABLE: Record<Exclude<IntegrationStatus, 'SUCCESSFUL'>, string> = {
  PENDING: 'The integration is not verified yet: try again once its status is SUCCESSFUL.',
  FAILED: 'The PSP refuses the credentials of the integration: renew them, then try again.',
  INACTIVE: 'The integration is deactivated: accept the chargeback at the PSP.',
}

/**
 * Why a chargeback can't be accepted, or null when it can (docs/interface.md#acceptance). Codes are stable, messages
 * are for the merchant. Repeating an acceptance that has not failed is no refusal: the caller returns the existing one
 * and starts nothing.
 */
export function acceptanceRefusal(input: AcceptanceInput): { code: AcceptanceRefusal; message: string } | null {
  const { pspStatus, lifecycleStage, openCommand, acceptStages, integrationStatus } = input
  if (openCommand && openCommand.status !== 'failed') {
    if (openCommand.kind === 'acceptance') return null
    return {
      code: 'evidence_submission_exists',
      message: 'Evidence has been submitted or is being submitted for this chargeback: it can no longer be accepted.',
    }
  }
  if (pspStatus !== 'needs_response')
    return { code: 'not_open', message: `The chargeback is not open at the PSP: ${CLOSED_WORDS[pspStatus]}.` }
  if (isOverdue(input.dueDate, input.now))
    return { code: 'overdue', message: 'The due date of the chargeback has passed: the PSP decides without an answer.' }
  if (acceptStages === null)
    return {
      code: 'acceptance_not_supported',
      message: 'This PSP takes no acceptance through its interface: accept the chargeback in its dashboard.',
    }
  if (acceptStages !== 'by_link' && !acceptStages.includes(lifecycleStage))
    return {
      code: 'acceptance_not_supported',
      message: `This PSP takes no acceptance at the stage ${lifecycleStage}. Stages it does: ${acceptStages.join(', ')}.`,
    }
  if (integrationStatus !== 'SUCCESSFUL')
    return { code: 'integration_not_usable', message: UNUSABLE[integrationStatus] }
  return null
}

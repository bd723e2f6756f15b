import { CLOSED_WORDS } from './acceptance.ts'
import type { PspStatus } from './chargeback.ts'
import { isOverdue } from './deadlines.ts'
import type { Decided } from './decision.ts'

/** Why a client's decision can't be changed any more. */
export type ShouldFightRefusal =
  | 'acceptance_exists'
  | 'evidence_submission_exists'
  | 'not_open'
  | 'overdue'
  | 'deactivated'

/**
 * Null while the decision can be changed (docs/interface.md#should-fight). Codes are stable, messages are for the
 * merchant.
 */
export function shouldFightRefusal(input: {
  pspStatus: PspStatus
  dueDate: Date | null
  now: Date
  commands: Pick<Decided, 'accepted' | 'submitted' | 'atWork'>
  /** The merchant or integration was deactivated, with effect on this chargeback. */
  deactivated: boolean
}): { code: ShouldFightRefusal; message: string } | null {
  const { pspStatus, commands } = input
  if (commands.accepted || commands.atWork === 'acceptance')
    return {
      code: 'acceptance_exists',
      message: 'The chargeback is accepted or being accepted: whether to fight it can no longer be changed.',
    }
  if (commands.submitted || commands.atWork === 'evidence_submission')
    return {
      code: 'evidence_submission_exists',
      message: 'Evidence is submitted or being submitted: whether to fight the chargeback can no longer be changed.',
    }
  if (pspStatus !== 'needs_response')
    return { code: 'not_open', message: `The chargeback is not open at the PSP: ${CLOSED_WORDS[pspStatus]}.` }
  if (isOverdue(input.dueDate, input.now))
    return { code: 'overdue', message: 'The due date of the chargeback has passed: nothing can be changed any more.' }
  if (input.deactivated)
    return {
      code: 'deactivated',
      message: 'The merchant or the integration is deactivated: the chargeback is no longer handled.',
    }
  return null
}

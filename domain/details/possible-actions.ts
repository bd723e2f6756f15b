import { type AcceptanceInput, acceptanceRefusal } from '../acceptance.ts'
import type { Decided } from '../decision.ts'
import { type SubmissionInput, submissionRefusal } from '../evidence/submission.ts'
import { shouldFightRefusal } from '../should-fight.ts'

export const ACTIONS = ['accept', 'submit', 'decide'] as const
export type Action = (typeof ACTIONS)[number]

/** Whether an action is possible now: null, or why not. */
export type Obstacle = { code: string; message: string } | null

interface ActionInput extends AcceptanceInput, SubmissionInput, Pick<Decided, 'accepted' | 'submitted' | 'atWork'> {
  mergedInto: string | null
  answeredElsewhere: boolean
  deactivated: boolean
}

/** The refusals of accepting, submitting evidence and deciding whether to fight, by the rules of these requests. */
export function obstacles(input: ActionInput): Record<Action, Obstacle> {
  const elsewhere = refusedAnswer(input)
  return {
    accept: elsewhere ?? requested(input) ?? acceptanceRefusal(input),
    submit: elsewhere ?? submissionRefusal(input),
    decide: shouldFightRefusal({ ...input, commands: input }),
  }
}

/** The refusals that accepting and submitting share. */
function refusedAnswer({ mergedInto, answeredElsewhere }: ActionInput): Obstacle {
  if (mergedInto) return { code: 'merged', message: `The chargeback was merged into ${mergedInto}: use that id.` }
  if (!answeredElsewhere) return null
  return {
    code: 'answered_elsewhere',
    message:
      'The dispute is being answered through another connection to the same PSP account, or was: one answer is taken.',
  }
}

/** A repeated request is no refusal, but it would do nothing. */
function requested({ openCommand }: ActionInput): Obstacle {
  if (openCommand?.kind !== 'acceptance') return null
  const message =
    openCommand.status === 'succeeded' ? 'The chargeback is accepted.' : 'The acceptance is requested already.'
  return { code: 'acceptance_exists', message }
}

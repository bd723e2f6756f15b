import { z } from '@hono/zod-openapi'
import type { AdapterDefinition } from '../../../adapters/contract.ts'
import type { ActionFacts } from '../../../db/chargebacks/possible-actions.ts'
import { REASON_GROUPS } from '../../../domain/chargeback.ts'
import { ACTIONS, type Action, type Obstacle, obstacles } from '../../../domain/details/possible-actions.ts'
import { answerStages } from '../../../domain/evidence/answer-stages.ts'

export const EXPANSIONS = ['actions', 'reasonGroup'] as const
export type Expansion = (typeof EXPANSIONS)[number]

const action = z
  .object({
    allowed: z.boolean().openapi({ description: 'Whether the request would be taken now, by this state.' }),
    code: z.string().optional().openapi({ description: 'Code of the refusal, when it is not allowed.' }),
    why: z.string().optional().openapi({ description: 'Why it is not allowed.' }),
    consequence: z.string().openapi({ description: 'What it does at this PSP, in a sentence or two.' }),
  })
  .openapi('PossibleAction')

const WHAT: Record<Action, string> = {
  accept: 'POST /chargebacks/{id}/accept',
  submit: 'POST /chargebacks/{id}/evidence/submit',
  decide: 'PATCH /chargebacks/{id}/should-fight',
}

/** Fields that `expand` adds to a chargeback. */
export const expanded = {
  reasonGroup: z.enum(REASON_GROUPS).optional().openapi({ description: 'Group of the reason; with `expand`.' }),
  actions: z
    .object(
      Object.fromEntries(ACTIONS.map((name) => [name, action.openapi({ description: WHAT[name] })])) as Record<
        Action,
        typeof action
      >,
    )
    .optional()
    .openapi({
      description:
        'What can be done now: accept it, submit evidence, decide whether to fight; with `expand`. The role of the ' +
        'credential plays no part, and the request itself checks again.',
    }),
}

/** @param definition of the chargeback's PSP; undefined if this version has no adapter for it */
export function toActions(facts: ActionFacts, definition: AdapterDefinition | undefined, now: Date) {
  const { accept, contest } = definition?.capabilities ?? {}
  const found = obstacles({
    ...facts,
    now,
    acceptStages: answerStages(accept),
    contestStages: answerStages(contest),
  })
  const psp = definition?.displayName ?? facts.source
  const once = contest && !contest.resubmit
  return {
    accept: toAction(
      found.accept,
      `${psp} closes the dispute ${facts.lifecycleStage === 'inquiry' ? 'against you' : 'as lost'}. ` +
        "This can't be undone. Fees already charged aren't returned.",
    ),
    submit: toAction(
      found.submit,
      once
        ? `${psp} takes evidence once: nothing can be added afterwards.`
        : `${psp} takes further evidence while the dispute is open.`,
    ),
    decide: toAction(
      found.decide,
      `Overrides the out-of-scope rules for this chargeback. Nothing happens at ${psp}, and it can be changed until ` +
        'the due date.',
    ),
  }
}

const toAction = (obstacle: Obstacle, consequence: string) => ({
  allowed: obstacle === null,
  ...(obstacle && { code: obstacle.code, why: obstacle.message }),
  consequence,
})

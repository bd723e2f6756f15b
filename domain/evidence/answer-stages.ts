import type { LifecycleStage } from '../chargeback.ts'

/** Stages in which a PSP takes an answer through its interface; `by_link`: each dispute says itself. Null: in none. */
export type AnswerStages = readonly LifecycleStage[] | 'by_link' | null

/** What an adapter's capability to accept or to contest says about stages. */
export function answerStages(
  capability: { stages: readonly LifecycleStage[]; decidedBy?: 'link' } | false | undefined,
): AnswerStages {
  if (!capability) return null
  return capability.decidedBy === 'link' ? 'by_link' : capability.stages
}

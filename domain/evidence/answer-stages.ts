import type { LifecycleStage } from '../chargeback.ts'

/** Stages in which a PSP accepts an answer through its API; `by_link`: each dispute says so itself. Null: none. */
export type AnswerStages = readonly LifecycleStage[] | 'by_link' | null

/** Stages of an adapter's capability to accept or to contest. */
export function answerStages(
  capability: { stages: readonly LifecycleStage[]; decidedBy?: 'link' } | false | undefined,
): AnswerStages {
  if (!capability) return null
  return capability.decidedBy === 'link' ? 'by_link' : capability.stages
}

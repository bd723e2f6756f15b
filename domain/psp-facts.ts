import type { LifecycleStage } from './chargeback.ts'

/** Order of two facts of a PSP about one dispute. */
export interface FactOrder {
  /** Time of the status change according to the PSP; null when it reports none. */
  pspStatusChangeDate: Date | null
  /** The PSP's own order of facts (sequence or update time in ms); null when it has none. */
  pspSequence: bigint | null
}

/**
 * Whether a fact may replace the stored one: false only if it is provably older, by the PSP's time first and its
 * sequence second. Facts of unknown or equal order pass, because a re-read is the PSP's current state, and a new
 * translation must be able to correct an object.
 */
export function isNewer(stored: FactOrder, incoming: FactOrder): boolean {
  const before = stored.pspStatusChangeDate?.getTime()
  const after = incoming.pspStatusChangeDate?.getTime()
  if (before !== undefined && after !== undefined && before !== after) return after > before
  if (stored.pspSequence !== null && incoming.pspSequence !== null) return incoming.pspSequence >= stored.pspSequence
  return true
}

/** `other` has no rank: compliance and good-faith cases are outside the sequence. */
export const LADDER: readonly LifecycleStage[] = [
  'alert',
  'inquiry',
  'claim',
  'chargeback',
  'second_chargeback',
  'third_chargeback',
]

/** Position of a stage, from alert (0) to third chargeback (5); null for `other`. */
export function stageRank(stage: LifecycleStage): number | null {
  const rank = LADDER.indexOf(stage)
  return rank < 0 ? null : rank
}

/** Whether `to` is a later stage of the same case than `from`; false when either is `other`. */
export function isHigherStage(from: LifecycleStage, to: LifecycleStage): boolean {
  const [before, after] = [stageRank(from), stageRank(to)]
  return before !== null && after !== null && after > before
}

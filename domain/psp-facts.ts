import type { LifecycleStage } from './chargeback.ts'

/** What orders two facts of a PSP about one dispute. */
export interface FactOrder {
  /** When the PSP says its status changed; null when it does not say. */
  pspStatusChangeDate: Date | null
  /** The PSP's own order of facts (sequence or update time in ms); null when it has none. */
  pspSequence: bigint | null
}

/**
 * Whether a fact may replace the stored one: false only when it is provably older, by the PSP's time first and its
 * sequence second. Facts whose order is unknown, or that are equal, pass: a re-read is the PSP's present word, and an
 * object translated again must be able to correct itself.
 */
export function isNewer(stored: FactOrder, incoming: FactOrder): boolean {
  const before = stored.pspStatusChangeDate?.getTime()
  const after = incoming.pspStatusChangeDate?.getTime()
  if (before !== undefined && after !== undefined && before !== after) return after > before
  if (stored.pspSequence !== null && incoming.pspSequence !== null) return incoming.pspSequence >= stored.pspSequence
  return true
}

/** `other` has no rank: compliance and good-faith cases stand beside the ladder, not on it. */
export const LADDER: readonly LifecycleStage[] = [
  'alert',
  'inquiry',
  'claim',
  'chargeback',
  'second_chargeback',
  'third_chargeback',
]

/** Place of a stage on the ladder from alert (0) to third chargeback (5); null for `other`. */
export function stageRank(stage: LifecycleStage): number | null {
  const rank = LADDER.indexOf(stage)
  return rank < 0 ? null : rank
}

/** Whether `to` is a later stage of the same case than `from`; false when either is `other`. */
export function isHigherStage(from: LifecycleStage, to: LifecycleStage): boolean {
  const [before, after] = [stageRank(from), stageRank(to)]
  return before !== null && after !== null && after > before
}

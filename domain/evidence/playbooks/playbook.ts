import type { ExhibitKind, FactName } from '../fact-catalogue.ts'

export const PLAY_IDS = [
  ...(['fraud_cnp', 'fraud_cp', 'not_received', 'not_described', 'recurring', 'credit', 'cancelled'] as const),
  ...(['duplicate', 'other_means', 'amount', 'authorization', 'compliance', 'consumer_general', 'general'] as const),
] as const
export type PlayId = (typeof PLAY_IDS)[number]

/** Plays that go before every other one when they have facts. */
export const OVERLAY_IDS = ['withdrawn', 'refunded'] as const
export type OverlayId = (typeof OVERLAY_IDS)[number]

/** 3: required, 2: compelling, 1: helps. */
export type Weight = 1 | 2 | 3

/** One sentence, one claim. */
export interface Statement {
  id: string
  /** A Liquid template. Every fact that it names and `optional` does not is needed: without it the sentence is dropped. */
  text: string
  optional?: readonly FactName[]
  weight: Weight
  /** Kinds of files that show it. */
  exhibits?: readonly ExhibitKind[]
  /** Whether it is dropped without one of those files. */
  needsExhibit?: true
  /** Facts that contradict it. */
  unless?: readonly FactName[]
  /** Kinds of files beside which another statement says the same. */
  unlessExhibit?: readonly ExhibitKind[]
  /** The case table of the document says the same: only text fields have the sentence. */
  inCaseTable?: true
}

/** Something that the play asks for: one of the facts or files is enough. */
export interface Ask {
  facts?: readonly FactName[]
  files?: readonly ExhibitKind[]
  weight: Weight
}

/** What one kind of sale asks for. */
export interface AskList {
  /** Facts of which one shows that it is this kind; absent: the list always counts. */
  when?: readonly FactName[]
  /** The list counts for this reason code alone. */
  code?: string
  of: readonly Ask[]
}

export interface Playbook<Id extends string = PlayId | OverlayId> {
  id: Id
  /** Grows with each change of its words. */
  version: number
  /** The answer to the claim comes first. */
  statements: readonly Statement[]
  /** One list for each kind of sale; the one that is nearest to complete counts. Overlays ask nothing. */
  asks: readonly AskList[]
  /** Set for plays whose answer is never sent without a person's decision. */
  manualOnly?: true
}

/** What a playbook asks for where this reason code is disputed. */
export const listsFor = ({ asks }: Pick<Playbook, 'asks'>, { reasonCode }: { reasonCode: string | null }) =>
  asks.filter(({ code }) => code === undefined || code === reasonCode)

/** An ask for one fact, or for one of several. */
export const required = (...facts: FactName[]): Ask => ({ facts, weight: 3 })
export const compelling = (...facts: FactName[]): Ask => ({ facts, weight: 2 })
export const helpful = (...facts: FactName[]): Ask => ({ facts, weight: 1 })
/** Messages as data, or a file of them. */
export const correspondence = (weight: Weight): Ask => ({
  facts: ['customerCommunication'],
  files: ['communication'],
  weight,
})
export const fileOf = (weight: Weight, ...files: ExhibitKind[]): Ask => ({ files, weight })

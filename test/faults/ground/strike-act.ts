import type { Connected } from './connected.ts'
import type { Dispute, Ground } from './prepare.ts'
import type { AdapterName } from './psps.ts'

/** Something that does not hold; of all PSPs' cells where none is named, of one chargeback's where it is. */
export interface Wrong {
  adapter: AdapterName | null
  chargebackId?: string
  /** With its invariant. */
  sentence: string
}

/** Looks again, once everything has come to rest. */
export type Afterwards = () => Promise<Wrong[]>

export interface StrikeOptions {
  /** The integrations that the held work goes through. */
  about: readonly Connected[]
  /** What the held commands are about. */
  disputes: readonly Dispute[]
  /** Chargebacks that nothing is done with yet, where a strike needs such. */
  free: readonly Dispute[]
  /** Lets every held command go. */
  release(): Promise<void>
  /** Resolves when whoever took over has ended what it could. */
  takenOver(): Promise<void>
  /** 0 up to 1. */
  chance(): number
}

export type StrikeAct = (ground: Ground, options: StrikeOptions) => Promise<Afterwards | undefined>

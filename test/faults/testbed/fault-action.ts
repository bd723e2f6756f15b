import type { Connected } from './connected.ts'
import type { Dispute, Testbed } from './prepare.ts'
import type { AdapterName } from './psps.ts'

/** A violation: of all PSPs' cells if `adapter` is null; of one chargeback alone if it is named. */
export interface Wrong {
  adapter: AdapterName | null
  chargebackId?: string
  /** With its invariant. */
  sentence: string
}

/** Checks again when everything has finished. */
export type Afterwards = () => Promise<Wrong[]>

export interface FaultOptions {
  /** Integrations of the held work. */
  about: readonly Connected[]
  /** Disputes of the held commands. */
  disputes: readonly Dispute[]
  /** Unused chargebacks, for faults that need them. */
  free: readonly Dispute[]
  /** Releases every held command. */
  release(): Promise<void>
  /** Resolves when the process that took over has finished what it could. */
  takenOver(): Promise<void>
  /** A random number from 0 to 1. */
  chance(): number
}

export type FaultAction = (testbed: Testbed, options: FaultOptions) => Promise<Afterwards | undefined>

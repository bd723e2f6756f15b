import type { Client, Watch } from '../testbed/clients.ts'
import type { Dispute, Testbed } from '../testbed/prepare.ts'

/** A violated invariant, by its number in the catalogue of invariants, or a violation of linearizability. */
export interface Violation {
  invariant: `I${number}` | 'linearizable'
  sentence: string
  /** Our id of the chargeback it is about; null = none in particular. */
  chargebackId: string | null
}

/** Input of the checks, after everything has finished. */
export interface Evidence {
  testbed: Testbed
  command: 'acceptance' | 'submission'
  disputes: readonly Dispute[]
  clients: readonly Client[]
  watch: Watch
  /** Ids of chargebacks whose command may have failed, because the PSP may refuse it definitely. */
  refusable: ReadonlySet<string>
}

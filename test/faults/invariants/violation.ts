import type { Client, Watch } from '../ground/clients.ts'
import type { Dispute, Ground } from '../ground/prepare.ts'

/** One broken promise, by its number in the catalogue of invariants, or by the judge of what clients were told. */
export interface Violation {
  invariant: `I${number}` | 'linearizable'
  sentence: string
  /** Our id of the chargeback it is about; null = none in particular. */
  chargebackId: string | null
}

/** What is looked at after everything has come to rest. */
export interface Evidence {
  ground: Ground
  command: 'acceptance' | 'submission'
  disputes: readonly Dispute[]
  clients: readonly Client[]
  watch: Watch
  /** Ids of chargebacks whose command may have failed: the PSP may refuse for good. */
  refusable: ReadonlySet<string>
}

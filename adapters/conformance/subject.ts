import type { JsonObject } from '../../simulators/engine/contract.ts'
import type { SimulatorDefinition } from '../../simulators/engine/definition.ts'
import type { AdapterDefinition } from '../contract.ts'
import type { Ends, StateMakers } from './ends.ts'

/** An adapter, its simulated PSP, and what the kit can't know about that PSP by itself. */
export interface Subject {
  definition: AdapterDefinition
  simulator: SimulatorDefinition
  /** An account that the PSP does not have, where it is refused by the PSP; absent where the adapter tests it itself. */
  inventedAccount?: string
  /** Secret payloads that can't work and must be refused before any call. */
  malformedSecrets: readonly Record<string, string>[]
  /**
   * Field of the secret payload with the secret that notifications are signed with; null without notifications, or
   * when the credential itself signs.
   */
  notificationSecret: string | null
  /** Currencies whose minor unit this PSP counts with other digits than ISO 4217. */
  currencyDigits: Readonly<Record<string, number>>
  /** Makes the PSP's object show that money came back, without a change of the outcome. */
  returnFunds(dispute: JsonObject): void
  /** Puts a personal datum where the PSP keeps such. */
  plantPerson(dispute: JsonObject, datum: string): void
  /** Path of the call that lists disputes, for faults. */
  listPath: string
  /** A list that failed or can't be read is noted for its parts to be asked for, so that the second call shows it. */
  narrows?: true
  /** Path above the writes to disputes, where other POSTs are none (a token); absent = every POST is a write. */
  writePath?: string
  /** Path of the call that submits, where other writes go before it; absent = `writePath`. */
  submitPath?: string
  /** HTTP method of accepting and submitting; absent = POST. */
  writeMethod?: string
  /** How commands end, by the state that the PSP is found in: the table of BEHAVIOR.md. */
  ends: Ends
  /** How such a state comes about at this PSP, where the control surface and a second client don't make it. */
  stateMakers?: StateMakers
  /** Checks that don't apply, by name, with the reason the report prints. */
  skips: Readonly<Record<string, string>>
}

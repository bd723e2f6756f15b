import type { JsonObject } from '../../simulators/engine/contract.ts'
import type { SimulatorDefinition } from '../../simulators/engine/definition.ts'
import type { AdapterDefinition } from '../contract.ts'
import type { Ends, StateMakers } from './ends.ts'

/** An adapter, its simulated PSP, and facts about that PSP that the kit needs. */
export interface Subject {
  definition: AdapterDefinition
  simulator: SimulatorDefinition
  /** An account that does not exist at the PSP, if the PSP rejects it; absent if the adapter's own tests cover it. */
  inventedAccount?: string
  /** Invalid secret payloads, to be rejected before any call. */
  malformedSecrets: readonly Record<string, string>[]
  /**
   * Field of the secret payload that signs notifications; null without notifications, or when the credential itself
   * signs.
   */
  notificationSecret: string | null
  /** Currencies whose minor unit has other digits at this PSP than in ISO 4217. */
  currencyDigits: Readonly<Record<string, number>>
  /** Makes the PSP's object show a refund, without a change of the outcome. */
  returnFunds(dispute: JsonObject): void
  /** Puts personal data where the PSP stores it. */
  plantPerson(dispute: JsonObject, datum: string): void
  /** Path of the list call, for faults. */
  listPath: string
  /** After a failed list call the adapter retries in smaller parts, so the second call shows the failure. */
  narrows?: true
  /** Path prefix of writes to disputes, if other POSTs exist (a token); absent = every POST is a write. */
  writePath?: string
  /** Path of the submit call, if other writes precede it; absent = `writePath`. */
  submitPath?: string
  /** HTTP method of accepting and submitting; absent = POST. */
  writeMethod?: string
  /** Results of commands by the dispute's state at the PSP: the table of BEHAVIOR.md. */
  ends: Ends
  /** How to create such a state at this PSP, if neither the control interface nor a second client can. */
  stateMakers?: StateMakers
  /** Checks that don't apply, by name, with the reason for the report. */
  skips: Readonly<Record<string, string>>
}

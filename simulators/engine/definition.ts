import type { SecretType, Source } from '../../domain/integration.ts'
import type { SimulatorApp } from './conduct.ts'
import type { PspProfile } from './contract.ts'
import type { DisputeEngine } from './engine.ts'

/** One simulated PSP: connection data, its profile for the engine, and its wire format. */
export interface SimulatorDefinition {
  source: Source
  /** Variable with the PSP's base URL, as in the adapter. */
  baseUrlVariable: string
  /** Offset of its port from the port of the control interfaces; unique per simulator. */
  portOffset: number
  secretType: SecretType
  /** A second account that a client may connect with `secretPayload`; it starts empty. */
  externalIdentifier: string
  secretPayload: Record<string, string>
  /** Credential of `profile.homeAccount`, if a credential belongs to one account; absent = `secretPayload`. */
  homeSecretPayload?: Record<string, string>
  /** The PSP responds to these as to an unknown credential. */
  refusedSecretPayload: Record<string, string>
  /** Known, but without the permission to read disputes. */
  restrictedSecretPayload: Record<string, string>
  /** The PSP has no list of disputes. A subscription with `backlog` also gets the notifications of earlier disputes. */
  notifiesOnly?: true
  profile: PspProfile
  routes(engine: DisputeEngine): SimulatorApp
}

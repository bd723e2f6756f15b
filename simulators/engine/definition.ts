import type { SecretType, Source } from '../../domain/integration.ts'
import type { SimulatorApp } from './conduct.ts'
import type { PspProfile } from './contract.ts'
import type { DisputeEngine } from './engine.ts'

/** One simulated PSP: what a client connects with, what the engine must know about it, and its wire format. */
export interface SimulatorDefinition {
  source: Source
  /** Tells the processes that call the PSP where it answers: the adapter's. */
  baseUrlVariable: string
  /** Distance of its port from the port of the control surfaces; every simulator has its own. */
  portOffset: number
  secretType: SecretType
  /** An account of its own that a client may connect with `secretPayload`; it starts empty. */
  externalIdentifier: string
  secretPayload: Record<string, string>
  /** Credential of `profile.homeAccount`, where a credential belongs to one account; absent = `secretPayload`. */
  homeSecretPayload?: Record<string, string>
  /** The PSP answers these as it answers an unknown credential. */
  refusedSecretPayload: Record<string, string>
  /** Known, but without the permission to read disputes. */
  restrictedSecretPayload: Record<string, string>
  profile: PspProfile
  routes(engine: DisputeEngine): SimulatorApp
}

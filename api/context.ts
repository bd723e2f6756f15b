import type { AdapterDefinition } from '../adapters/contract.ts'
import type { Clock } from '../db/core/clock.ts'
import type { connect } from '../db/core/connect.ts'
import type { KeyRing } from '../db/core/seal.ts'
import type { HeldKey } from '../db/merchants/idempotency-keys.ts'
import type { Environment, SecretType, Source } from '../domain/integration.ts'
import type { FileProcesses } from '../files/processes.ts'
import type { Log } from '../process/log.ts'
import type { Principal } from './auth/principal.ts'
import type { Metrics } from './http/metrics.ts'
import type { TrustedProxies } from './limits/client-address.ts'

/** What the application is made of; each process and each test brings its own. */
export interface ApiDeps {
  db: ReturnType<typeof connect>
  ring: KeyRing
  /** Where uploads are checked. */
  files: FileProcesses
  log: Log
  environment: Environment
  rateLimitPerMinute: number
  /** Of all credentials of an account together, per process; without a limit unless given. */
  accountLimitPerMinute?: number
  /** Of one client without a good credential or signature; as many as a credential has unless given. */
  strangerLimitPerMinute?: number
  /** Whose `X-Forwarded-For` is believed; nobody's unless given. */
  trustedProxies?: TrustedProxies
  /** One bounded try to start what an outbox message asks for. Never throws. */
  dispatch(outboxId: bigint): Promise<void>
  /** Has a worker draft what a submission would send; false when that can't be done now. Absent = it never can. */
  draft?(asked: { planId: string; psp: string; chargebackId: string }): Promise<boolean>
  /** How long a client waits for the verdict on a new secret; 20 s unless given. */
  rotationSeconds?: number
  adapters: {
    adapterFor(source: Source, secretType: SecretType): AdapterDefinition | undefined
    acceptedSecretTypes(source: Source): SecretType[]
  }
  /** Where PSPs answer instead of their public addresses; asked only where a PSP itself verifies its notifications. */
  baseUrls?: Partial<Record<Source, string>>
  now?: () => Date
  /** Counts of this process; those of the application itself unless given. */
  metrics?: Metrics
  /** Of `now`, for operators. */
  clock?: Pick<Clock, 'ahead' | 'problem'>
}

/** What middleware has found out by the time a handler runs. */
export interface ApiEnv {
  Variables: {
    requestId: string
    /** Path template of the request for logs and metrics. */
    route: string
    /** Who sent it; '' when it came without a socket, as in tests of the application alone. */
    clientAddress: string
    /** Whose budgets it uses. */
    clientNetwork: string
    principal: Principal
    /** The merchant that credential and header select. */
    merchantUuid: string
    /** Set while a claimed Idempotency-Key waits for its answer. */
    idempotency: { held: HeldKey; stored: boolean } | undefined
  }
}

import type { AdapterDefinition } from '../adapters/contract.ts'
import type { PspFetch } from '../adapters/shared/psp-fetch.ts'
import type { Clock } from '../db/core/clock.ts'
import type { connect } from '../db/core/connect.ts'
import type { KeyRing } from '../db/core/seal.ts'
import type { HeldKey } from '../db/merchants/idempotency-keys.ts'
import type { Environment, SecretType, Source } from '../domain/integration.ts'
import type { FileProcesses } from '../files/processes.ts'
import type { Log } from '../process/log.ts'
import type { Ways } from '../webhooks/guarded-agents.ts'
import type { Principal } from './auth/principal.ts'
import type { Metrics } from './http/metrics.ts'
import type { TrustedProxies } from './limits/client-address.ts'
import type { EventBell } from './routes/events/event-bell.ts'

/** Dependencies of the application; each process and each test provides its own. */
export interface ApiDeps {
  db: ReturnType<typeof connect>
  ring: KeyRing
  /** Processes that check uploads. */
  files: FileProcesses
  log: Log
  environment: Environment
  rateLimitPerMinute: number
  /** Limit of all credentials of an account together, per process; default: none. */
  accountLimitPerMinute?: number
  /** Limit of one client without a valid credential or signature; default: that of a credential. */
  unauthenticatedLimitPerMinute?: number
  /** Proxies whose `X-Forwarded-For` is trusted; default: none. */
  trustedProxies?: TrustedProxies
  /** Tries once, with a deadline, to dispatch an outbox message. Never throws. */
  dispatch(outboxId: bigint): Promise<void>
  /** Has a worker plan a submission as a dry run; false when that is impossible now. Absent = never possible. */
  draft?(asked: { planId: string; psp: string; chargebackId: string }): Promise<boolean>
  /** Wakes requests that wait for events; without it they look again every few seconds. */
  events?: EventBell
  /** How long a client waits for the check of a new secret; default 20 s. */
  rotationSeconds?: number
  adapters: {
    adapterFor(source: Source, secretType: SecretType): AdapterDefinition | undefined
    acceptedSecretTypes(source: Source): SecretType[]
  }
  /** Networks and proxy of webhook receivers, for the check of new addresses; default: public addresses only. */
  receivers?: Ways
  /** PSP base URLs that replace the public ones; used only where the PSP itself verifies notifications. */
  baseUrls?: Partial<Record<Source, string>>
  /** Sends requests to PSPs; default `pspFetch`. */
  fetch?: PspFetch
  /** Address that people open the console at; default: the API's default port on loopback. */
  publicUrl?: string
  now?: () => Date
  /** Metrics of this process; default: those of the application. */
  metrics?: Metrics
  /** State of the clock behind `now`, for operators. */
  clock?: Pick<Clock, 'ahead' | 'problem'>
}

/** Values that middleware sets before a handler runs. */
export interface ApiEnv {
  Variables: {
    requestId: string
    /** Path template of the request for logs and metrics. */
    route: string
    /** Address of the client; '' for a request without a socket, as in in-process tests. */
    clientAddress: string
    /** The network whose budgets the request uses. */
    clientNetwork: string
    principal: Principal
    /** The merchant that credential and header select. */
    merchantUuid: string
    /** The response is a stream of any length. */
    streams: true | undefined
    /** Set while a claimed Idempotency-Key has no response yet. */
    idempotency: { held: HeldKey; stored: boolean } | undefined
  }
}

import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { acceptedSecretTypes, adapterFor } from '../adapters/registry.ts'
import { warnPrivilegedRole } from '../db/core/app-role.ts'
import { createClock } from '../db/core/clock.ts'
import { type ConnectedDatabase, connect } from '../db/core/connect.ts'
import { confirmEnvironment } from '../db/core/deployment.ts'
import { listen } from '../db/core/listen.ts'
import { reportRowSecurity } from '../db/core/row-security.ts'
import { inScope } from '../db/core/scope.ts'
import { confirmKeys } from '../db/core/sealing-keys.ts'
import { EVENT_CHANNEL } from '../db/events/positions.ts'
import { createFileProcesses } from '../files/processes.ts'
import { createLog } from '../process/log.ts'
import { dispatchNow } from '../workflows/starters/dispatch.ts'
import { runDraft } from '../workflows/starters/draft.ts'
import { connectLazily } from '../workflows/starters/temporal.ts'
import { createApp } from './app.ts'
import { type ApiConfig, readApiConfig } from './config.ts'
import { createMetrics } from './http/metrics.ts'
import { createOperatorsServer } from './http/operators-port.ts'
import { operatorsApp } from './http/probes.ts'
import { createHttpServer } from './limits/connections.ts'
import { createEventBell } from './routes/events/event-bell.ts'

/** Limits of an upload's check. Together with the wait for a slot they stay below an Idempotency-Key's claim (60 s). */
const UPLOADS = { cpuMs: 10_000, wallMs: 20_000, waitMs: 20_000 }
/** Time for requests in flight at shutdown; then their connections are closed. */
const DRAIN_MS = 4_000

/**
 * Connections that the kernel keeps until the process accepts them, and so the most that one turn of the event loop
 * accepts: 800 at once stopped every other request for 0.1 s. The others are retried by TCP, after a second first.
 */
const BACKLOG = 32

const log = createLog({ name: 'api', level: 'info' })

/** Exits once all resources are released, so that no log line is lost; a resource that hangs gets half a second. */
function leave(code: number): void {
  process.exitCode = code
  setTimeout(() => process.exit(), 500).unref()
}

/** Dependencies that the tests' entry puts fault points around. */
export interface ApiParts {
  db: ConnectedDatabase
  temporal: ReturnType<typeof connectLazily>
}

function serve(config: ApiConfig, decorate: (parts: ApiParts) => void): void {
  log.level = config.logLevel
  const clock = createClock(log)
  const db = connect(config.databaseUrl, {
    scope: 'none',
    clock,
    environment: config.environment,
    onError: (error) => log.warn({ error }, 'database connection lost'),
  })
  clock.follow(db.pool)
  const events = createEventBell()
  const listening = listen(config.databaseUrl, EVENT_CHANNEL, events.ring)
  // The database may start after the API, which answers 503 until then.
  confirmEnvironment(db, config.environment)
    .then(() => warnPrivilegedRole(db, log))
    .then(() => reportRowSecurity(db, log))
    .catch((error: Error) => {
      log.fatal({ reason: error.message }, 'cannot start')
      leave(1)
    })
  inScope('system', () => confirmKeys(db, config.ring)).catch((error: Error) => {
    log.fatal({ reason: error.message }, 'cannot start')
    leave(1)
  })
  const temporal = connectLazily(config.temporalAddress, config.temporalNamespace, config.temporalSecurity)
  decorate({ db, temporal })
  const metrics = createMetrics({ db, clock })
  const app = createApp({
    db,
    files: createFileProcesses({ ...UPLOADS, processes: config.fileProcesses, log }),
    ring: config.ring,
    log,
    environment: config.environment,
    rateLimitPerMinute: config.rateLimitPerMinute,
    accountLimitPerMinute: config.accountLimitPerMinute,
    unauthenticatedLimitPerMinute: config.unauthenticatedLimitPerMinute,
    trustedProxies: config.trustedProxies,
    metrics,
    dispatch: (outboxId) =>
      inScope('system', () => dispatchNow({ db, temporal, polling: config.polling, log, now: clock.now }, outboxId)),
    draft: (asked) => runDraft(temporal, asked),
    events,
    adapters: { adapterFor, acceptedSecretTypes },
    baseUrls: config.baseUrls,
    receivers: config.receivers,
    now: clock.now,
    clock,
  })
  const server = createHttpServer(app.fetch, log, config)
  const operators = createOperatorsServer(operatorsApp({ db, clock, log }, metrics))
  const cannotListen = (host: string, port: number, variable: string) => (error: Error) => {
    log.fatal({ error, host, port }, `cannot listen: is ${variable} taken?`)
    leave(1)
  }
  server.on('error', cannotListen(config.host, config.port, 'RECOUP_API_PORT'))
  operators.on('error', cannotListen(config.metricsHost, config.metricsPort, 'RECOUP_API_METRICS_PORT'))
  operators.listen(config.metricsPort, config.metricsHost, () => {
    const { port: metricsPort } = operators.address() as AddressInfo
    server.listen({ port: config.port, host: config.host, backlog: BACKLOG }, () => {
      const { port } = server.address() as AddressInfo
      log.info({ host: config.host, port, metricsPort, environment: config.environment }, 'listening')
    })
  })

  let stopping = false
  const stop = async (signal: string) => {
    if (stopping) return
    stopping = true
    log.info({ signal }, 'stopping')
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeIdleConnections()
    events.close()
    const late = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
    await closed
    clearTimeout(late)
    operators.close()
    operators.closeAllConnections()
    // Neither may delay the shutdown: their remaining work can be aborted safely.
    const released = Promise.allSettled([db.destroy(), temporal.connection.close(), listening[Symbol.asyncDispose]()])
    await Promise.race([released, new Promise((resolve) => setTimeout(resolve, 500))])
    log.info({ signal }, 'stopped')
    leave(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

/** Runs the API as its environment says, until SIGINT or SIGTERM. */
export function startApi(decorate: (parts: ApiParts) => void = () => undefined): void {
  process.on('unhandledRejection', (error) => log.error({ error, errorId: randomUUID() }, 'unhandled rejection'))
  try {
    serve(readApiConfig(), decorate)
  } catch (error) {
    log.fatal({ reason: error instanceof Error ? error.message : 'error' }, 'cannot start')
    leave(1)
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@temporalio/client'
import { NativeConnection, Runtime, Worker } from '@temporalio/worker'
import { withRates } from '../../adapters/rates.ts'
import { adapterFor } from '../../adapters/registry.ts'
import { warnPrivilegedRole } from '../../db/core/app-role.ts'
import { type Clock, createClock } from '../../db/core/clock.ts'
import { type ConnectedDatabase, ping } from '../../db/core/connect.ts'
import { confirmEnvironment } from '../../db/core/deployment.ts'
import { listen } from '../../db/core/listen.ts'
import { reportRowSecurity } from '../../db/core/row-security.ts'
import { confirmKeys } from '../../db/core/sealing-keys.ts'
import { DUE_CHANNEL } from '../../db/polling/due.ts'
import { fanOut } from '../../db/webhooks/fan-out.ts'
import { createFileProcesses } from '../../files/processes.ts'
import { createBell } from '../../process/bell.ts'
import { createLog, type Log } from '../../process/log.ts'
import { quietPorts } from '../../process/ports.ts'
import { startEngine } from '../../webhooks/engine.ts'
import { mailDisabled } from '../../webhooks/mail/disabled-mail.ts'
import { createPoster } from '../../webhooks/post.ts'
import { renderDeliveries } from '../../webhooks/render-deliveries.ts'
import { startSequencer } from '../../webhooks/sequencer.ts'
import { createCommandsFirst } from '../activities/commands-first.ts'
import { createActivities } from '../activities/index.ts'
import { QUEUES } from '../contract.ts'
import { connectLazily } from '../starters/temporal.ts'
import { bundleForWorker } from './bundle.ts'
import { readWorkerConfig, type WorkerConfig } from './config.ts'
import { activitiesByQueue, openDatabases } from './databases.ts'
import { guardFailures, reportSteps } from './guard.ts'
import { serveHealth } from './health.ts'
import { createMetrics } from './metrics.ts'
import { startRelay } from './outbox.ts'
import { sdkLogger } from './sdk-logger.ts'

/** Concurrent activities per queue: they wait for PSP and database I/O, so there are far more than cores. */
const SLOTS = { commands: 50, polling: 50, backfills: 10, records: 50, operations: 10, building: 2 } as const
/** Queues without workflows. */
const ACTIVITIES_ONLY: readonly string[] = ['records', 'backfills', 'building']

/** Limits for a file in a plan: a dry run with its PSP requests has 8 s in total. */
const FILES = { cpuMs: 4_000, wallMs: 5_000, waitMs: 2_000 }

/** A document of ten pages with pictures takes seconds. Builds wait for the one process as long as an attempt lasts. */
const RENDERS = { cpuMs: 20_000, wallMs: 60_000, waitMs: 120_000, processes: 1, purpose: 'render' } as const

/**
 * After this time a file process is started in advance. It takes a second of processor time, which the start of the
 * worker needs more: a start is followed by the work that has waited.
 */
const PREPARE_MS = 15_000

/** Dependencies that the tests' entry puts fault points around. */
export interface WorkerParts {
  db: ConnectedDatabase
  /** Connections of polls. */
  pollingDb: ConnectedDatabase
  temporal: Client
  adapterFor: typeof adapterFor
  createActivities: typeof createActivities
}

/**
 * Runs until SIGINT or SIGTERM, which the SDK's runtime handles: workers drain, then this returns.
 * @returns a function that closes the connections
 */
async function run(
  config: WorkerConfig,
  log: Log,
  decorate: (parts: WorkerParts) => WorkerParts,
): Promise<() => Promise<void>> {
  const [metricsPort] = await quietPorts(1)
  const sdkMetrics = `127.0.0.1:${metricsPort}`
  Runtime.install({
    logger: sdkLogger(log),
    telemetryOptions: {
      logging: { forward: {}, filter: { core: 'INFO', other: 'WARN' } },
      metrics: { prometheus: { bindAddress: sdkMetrics } },
    },
  })
  const clock = createClock(log)
  const { db, pollingDb, webhookDb } = openDatabases(config, clock, log)
  using _following = clock.follow(db.pool)
  const temporal = connectLazily(config.temporalAddress, config.temporalNamespace, config.temporalSecurity)
  const parts = decorate({ db, pollingDb, temporal, adapterFor, createActivities })
  const metrics = createMetrics(db, clock, `http://${sdkMetrics}/metrics`)
  await using files = createFileProcesses({ ...FILES, processes: config.fileProcesses, spare: true, log })
  await using renderer = createFileProcesses({ ...RENDERS, log })
  const preparing = setTimeout(files.prepare, PREPARE_MS)
  preparing.unref()
  const due = createBell()
  const commandsFirst = createCommandsFirst()
  await using _listening =
    config.polling.choice === 'schedules' ? undefined : listen(config.databaseUrl, DUE_CHANNEL, due.ring)
  const workers: Worker[] = []
  const activities = activitiesByQueue({ db, pollingDb }, parts.createActivities, {
    files,
    renderer,
    ring: config.ring,
    temporal,
    adapterFor: withRates(parts.adapterFor, config.rates),
    environment: config.environment,
    baseUrls: config.baseUrls,
    polling: config.polling,
    log,
    now: clock.now,
    eventDays: config.eventDays,
    counted: metrics.counted,
    stale: metrics.stale,
    blocked: metrics.blocked,
    due,
    commandsFirst,
    stopping: () => workers.some((worker) => worker.getState() !== 'RUNNING'),
  })
  await using _health = await serveHealth(
    {
      health: () => workers.every((worker) => ['RUNNING', 'DRAINING', 'INITIALIZED'].includes(worker.getState())),
      ready: async () => {
        const problems: string[] = []
        if (workers.length === 0 || workers.some((worker) => worker.getState() !== 'RUNNING'))
          problems.push('workers are not running')
        await ping(db).catch(() => problems.push('the database does not answer'))
        await temporal.connection
          .withDeadline(Date.now() + 1_500, () => temporal.workflowService.getSystemInfo({}))
          .catch(() => problems.push('Temporal does not answer'))
        return problems
      },
      notes: () => [clock.problem() ?? []].flat(),
      metrics: metrics.render,
    },
    config.host,
    config.port,
  )
  await using _relay = startRelay({
    db,
    databaseUrl: config.databaseUrl,
    temporal,
    polling: config.polling,
    log,
    now: clock.now,
    commandsFirst,
  })
  using poster = createPoster({ ...config.receivers, timeoutMs: config.webhooks.timeoutMs })
  await using _webhooks = startEngine({
    ...{ db: webhookDb, databaseUrl: config.databaseUrl, ring: config.ring, log, now: clock.now },
    ...{ poster, render: renderDeliveries(webhookDb), counted: metrics.delivered, slots: config.webhooks.slots },
    ...(config.mail && { disabled: mailDisabled({ db: webhookDb, ring: config.ring, log, ...config.mail }) }),
  })
  await using _sequencer = startSequencer({ db: webhookDb, log, fanOut })
  const bundling = bundleForWorker(config.bundle)
  const connecting = connectWithRetry(config, log)
  const create = async (queue: keyof typeof SLOTS) => {
    const [connection, workflowBundle] = await Promise.all([connecting, bundling])
    return Worker.create({
      connection,
      namespace: config.temporalNamespace,
      taskQueue: QUEUES[queue],
      activities: activities[queue],
      maxConcurrentActivityTaskExecutions: SLOTS[queue],
      activityTaskPollerBehavior: { type: 'autoscaling' },
      ...(!ACTIVITIES_ONLY.includes(queue) && {
        workflowBundle,
        maxConcurrentWorkflowTaskExecutions: 40,
        maxCachedWorkflows: 500,
        workflowThreadPoolSize: 1,
        workflowTaskPollerBehavior: { type: 'autoscaling' as const },
      }),
      // A shard reports its counts, and learns of its cancellation, every 20 s instead of 48.
      ...(queue === 'polling' && config.polling.choice !== 'schedules' && { maxHeartbeatThrottleInterval: '10s' }),
      shutdownGraceTime: `${config.shutdownGraceSeconds}s`,
      shutdownForceTime: `${config.shutdownGraceSeconds + 5}s`,
      interceptors: { activity: [guardFailures(log), ...(queue === 'commands' ? [reportSteps(commandsFirst)] : [])] },
      ...(config.stickySeconds && { stickyQueueScheduleToStartTimeout: `${config.stickySeconds}s` }),
    })
  }
  const [created] = await Promise.all([
    // Before the database responds: the workflows take a second of processor time to load.
    Promise.all((Object.keys(SLOTS) as (keyof typeof SLOTS)[]).map(create)),
    confirmEnvironment(db, config.environment)
      .then(() => warnPrivilegedRole(db, log))
      .then(() => reportRowSecurity(db, log)),
    confirmKeys(db, config.ring),
  ])
  await compareClocks(clock, db)
  workers.push(...created)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, leaveEarly)
  log.info({}, 'worker ready')
  await Promise.all(workers.map((worker) => worker.run()))
  clearTimeout(preparing)
  log.info({}, 'worker drained')
  return async () => {
    await (await connecting).close()
    await temporal.connection.close()
    await db.destroy()
    await pollingDb.destroy()
    await webhookDb.destroy()
  }
}

/** Temporal may start after this process. */
async function connectWithRetry(config: WorkerConfig, log: Log): Promise<NativeConnection> {
  for (let pause = 250; ; pause = Math.min(pause * 2, 5_000)) {
    try {
      return await NativeConnection.connect({ address: config.temporalAddress, ...config.temporalSecurity })
    } catch {
      log.warn({ host: config.temporalAddress }, 'Temporal connection failed, retrying')
      await sleep(pause)
    }
  }
}

/** Postgres' time must be known before anything is decided. */
async function compareClocks(clock: Clock, { pool }: ConnectedDatabase): Promise<void> {
  while (clock.ahead() === null) await clock.compare(pool).catch(() => sleep(250))
}

const log = createLog({ name: 'worker', level: 'info' })
/** Log lines are written asynchronously; flush them before the process exits. */
const flushed = () => new Promise<void>((resolve) => log.flush(() => resolve()))
/** The SDK's runtime handles signals while workers drain; before there are workers, this does. */
const leaveEarly = () => {
  log.info({}, 'stopped before it was ready')
  void flushed().then(() => process.exit(0))
}

/** Runs the worker as its environment says, until SIGINT or SIGTERM; then the process ends. */
export async function startWorker(decorate = (parts: WorkerParts) => parts): Promise<never> {
  try {
    const config = readWorkerConfig()
    log.level = config.logLevel
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, leaveEarly)
    const close = await run(config, log, decorate)
    await close()
    await flushed()
    process.exit(0)
  } catch (error) {
    log.fatal({ error: error instanceof Error ? error : new Error('unknown') }, 'worker stopped')
    await flushed()
    process.exit(1)
  }
}

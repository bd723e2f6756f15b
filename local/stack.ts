import { setTimeout as pause } from 'node:timers/promises'
import { connect, type Database } from '../db/core/connect.ts'
import { migrate } from '../db/core/migrate.ts'
import { type KeyRing, readKeyRing } from '../db/core/seal.ts'
import { requireFree } from '../process/ports.ts'
import { provideBundles } from './bundles/provide.ts'
import type { LocalConfig } from './config.ts'
import { type DataFolder, newEncryptionKey, stillRunning } from './data-folder.ts'
import { simulatedPsps } from './psps.ts'
import { receiverSecret } from './receiver/endpoint.ts'
import { startReceiver } from './receiver/receiver.ts'
import { codeFolder } from './run-script.ts'
import { connectDemo, type Demo, ensureDemo, subscribeDemo } from './seed.ts'
import { type Backing, isNewPostgres, providePostgres, provideTemporal, serverAddresses } from './servers.ts'
import { type Say, type Service, type ServiceDefinition, startService } from './service.ts'
import { GRACE_SECONDS, hasReceiver, ownServices, receiverUrl, simulatorsService } from './services.ts'
import type { Shutdown } from './shutdown.ts'
import { describeIntegrations, describeSimulators, STACK_FILE, type StackFile } from './stack-file.ts'
import type { Progress } from './temporal/fetch.ts'

export interface StackOptions {
  config: LocalConfig
  folder: DataFolder
  empty: boolean
  shutdown: Shutdown
  say: Say
  progress: Progress
  /** Gets a line for each event that the receiver of webhooks got. */
  received(line: string): void
}

type Started = { services: Partial<Record<string, Service>>; postgres?: Backing; temporal?: Backing }

export interface RunningStack {
  stack: StackFile
  /**
   * Subscribes the demo's integrations to the simulated PSPs' notifications. Called when the first chargebacks are stored:
   * a PSP without a list sends hundreds of notifications at once, which would delay them.
   */
  subscribe(): Promise<void>
}

/**
 * Starts or adopts everything, fills the demo on the first start and writes the stack file once everything responds.
 */
export async function startStack(options: StackOptions): Promise<RunningStack> {
  const { config, folder, shutdown, say, progress } = options
  const keys = config.RECOUP_ENCRYPTION_KEYS ?? folder.secret('encryption-keys', newEncryptionKey)
  const ring = readKeyRing(keys)
  const psps = simulatedPsps(config)
  const simulators = describeSimulators(psps, config.RECOUP_SIMULATORS_PORT)
  const started: Started = { services: {} }
  let stack: StackFile | undefined
  const onChange = () => {
    if (!stack || shutdown.begun) return
    stack.processes = processesOf(started)
    folder.write(STACK_FILE, stack)
  }
  const serve = async (definition: ServiceDefinition) => {
    const service = await startService(folder, definition, say, onChange)
    shutdown.register('services', () => service.stop((GRACE_SECONDS + 1) * 1_000))
    started.services[definition.name] = service
    return service
  }
  await lookAtPorts(options, psps.length > 0)

  const bundling = provideBundles(codeFolder)
  const serveOwn = async () => {
    const given = { ...serverAddresses(config, folder), keys, simulators, workflowBundle: await bundling }
    const own = ownServices(config, given, psps)
    return settled(serve(own.api), serve(own.worker))
  }
  // API and worker wait until a new database is migrated. An existing one they would use before its migration.
  const servesAtOnce = isNewPostgres(config, folder)
  const [records, temporal, early] = await settled(
    providePostgres(config, folder, say, onChange).then((postgres) => {
      shutdown.register('servers', postgres.stop)
      started.postgres = postgres
      return prepareRecords(postgres, ring, options)
    }),
    provideTemporal(config, folder, say, progress, onChange).then((server) => {
      shutdown.register('servers', server.stop)
      started.temporal = server
      return server
    }),
    servesAtOnce ? serveOwn() : undefined,
    bundling,
    psps.length === 0 ? undefined : serve(simulatorsService(config, folder, psps)),
  )
  const { db, demo, databaseUrl } = records
  try {
    const [api, worker] = early ?? (await serveOwn())
    await settled(api.ready(), started.services.simulators?.ready())
    const root = `http://127.0.0.1:${config.RECOUP_API_PORT}`
    // Before anything is connected, so that it gets the first event.
    if (hasReceiver(config)) await receive(demo, options, `${root}/v1`)
    for (const psp of psps) {
      const controlUrl = simulators[psp.definition.source]?.controlUrl ?? ''
      await connectDemo(demo, folder, psp, { apiUrl: `${root}/v1`, controlUrl })
    }
    const integrations = await describeIntegrations(db, demo)
    const subscribe = async () => {
      for (const psp of psps) {
        const { source } = psp.definition
        const connected = integrations.find((integration) => integration.source === source)
        const controlUrl = simulators[source]?.controlUrl ?? ''
        if (connected && demo.connected?.includes(source))
          await subscribeDemo(psp, connected.integrationId, { apiUrl: `${root}/v1`, controlUrl })
      }
    }
    // Otherwise notifications are all that brings chargebacks.
    const listed = psps.some(({ definition }) => !definition.notifiesOnly)
    if (!listed) await subscribe()
    await worker.ready()
    stack = {
      apiUrl: `${root}/v1`,
      docsUrl: `${root}/docs`,
      consoleUrl: `${root}/console`,
      receiverUrl: hasReceiver(config) ? receiverUrl(config) : null,
      temporalUiUrl: temporal.uiUrl,
      temporalAddress: temporal.address,
      temporalNamespace: config.TEMPORAL_NAMESPACE,
      databaseUrl,
      tokens: demo.tokens,
      merchant: { merchantUuid: demo.merchantUuid, referenceId: demo.referenceId },
      integrations,
      simulators,
      processes: processesOf(started),
    }
    folder.write(STACK_FILE, stack)
    return { stack, subscribe }
  } finally {
    await db.destroy()
  }
}

/** Starts the receiver, which runs in this process so that it prints in this terminal. */
async function receive(
  demo: Demo,
  { config, folder, shutdown, received }: StackOptions,
  apiUrl: string,
): Promise<void> {
  const secret = await receiverSecret(demo, folder, { apiUrl, url: receiverUrl(config) })
  const receiver = await startReceiver({ host: '127.0.0.1', port: config.RECOUP_RECEIVER_PORT, secret }, received)
  shutdown.register('servers', async () => receiver[Symbol.asyncDispose]())
}

/** Before anything is started: a port that is taken is worth no waiting. Postgres' is looked at when it is started. */
async function lookAtPorts({ config, folder }: StackOptions, hasSimulators: boolean): Promise<void> {
  const simulators = ['simulators', 'RECOUP_SIMULATORS_PORT', 'the simulators'] as const
  const temporal = [
    ['temporal', 'RECOUP_TEMPORAL_PORT', 'Temporal'],
    ['temporal', 'RECOUP_TEMPORAL_UI_PORT', "Temporal's UI"],
  ] as const
  const ports = [
    ['api', 'RECOUP_API_PORT', 'the API'],
    ['api', 'RECOUP_API_METRICS_PORT', 'the metrics of the API'],
    ['worker', 'RECOUP_WORKER_PORT', 'the worker'],
    ...(hasSimulators ? [simulators] : []),
    ...(config.TEMPORAL_ADDRESS ? [] : temporal),
  ] as const
  for (const [service, variable, what] of ports)
    if (!stillRunning(folder, service)) await requireFree(config[variable], variable, what)
  if (hasReceiver(config))
    await requireFree(config.RECOUP_RECEIVER_PORT, 'RECOUP_RECEIVER_PORT', 'the receiver of webhooks')
}

async function prepareRecords(
  postgres: Backing,
  ring: KeyRing,
  { config, folder, empty, say }: StackOptions,
): Promise<{ db: Database; demo: Demo; databaseUrl: string }> {
  const environment = config.RECOUP_ENVIRONMENT
  const owner = connect(postgres.address, { scope: 'owner', max: 1, statementTimeoutMs: 0, environment })
  const applied = await migrate(owner, environment, postgres.appAddress).finally(() => owner.destroy())
  if (applied.length > 0) say(`Migrated the database to ${applied.at(-1)}`)
  const databaseUrl = postgres.appAddress ?? postgres.address
  const db = connect(databaseUrl, { scope: 'system', max: 2, environment })
  const demo = await ensureDemo(db, ring, folder, { environment, empty })
  return { db, demo, databaseUrl }
}

function processesOf({ services, postgres, temporal }: Started): StackFile['processes'] {
  return {
    api: services.api?.pid() ?? null,
    worker: services.worker?.pid() ?? null,
    postgres: postgres?.pid() ?? null,
    temporal: temporal?.pid() ?? null,
    simulators: services.simulators?.pid() ?? null,
  }
}

/** Time for what is being started to reach a state in which it can be stopped: Postgres makes its files first, ms. */
const SETTLE_MS = 20_000

/** Like Promise.all, but after a failure the others are waited for, so that nothing is left running. */
async function settled<T extends readonly unknown[]>(
  ...promises: T
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  try {
    return (await Promise.all(promises)) as never
  } catch (error) {
    await Promise.race([Promise.allSettled(promises), pause(SETTLE_MS, undefined, { ref: false })])
    throw error
  }
}

import { connect, type Database } from '../db/connect.ts'
import { migrate } from '../db/migrate.ts'
import { readKeyRing } from '../db/seal.ts'
import type { LocalConfig } from './config.ts'
import { type DataFolder, newEncryptionKey } from './data-folder.ts'
import { simulatedPsps } from './psps.ts'
import { connectDemo, type Demo, ensureDemo } from './seed.ts'
import { type Backing, providePostgres, provideTemporal } from './servers.ts'
import { type Say, type Service, type ServiceDefinition, startService } from './service.ts'
import type { Shutdown } from './shutdown.ts'
import { describeIntegrations, describeSimulators, STACK_FILE, type StackFile } from './stack-file.ts'
import type { Progress } from './temporal-fetch.ts'

export interface StackOptions {
  config: LocalConfig
  folder: DataFolder
  empty: boolean
  shutdown: Shutdown
  say: Say
  progress: Progress
}

/** Seconds that running activities get on Ctrl-C; all of it has to end within ten. */
const GRACE_SECONDS = 4

/** Starts or adopts everything, fills the demo on the first start and writes the stack file once all of it answers. */
export async function startStack(options: StackOptions): Promise<StackFile> {
  const { config, folder, shutdown, say } = options
  const keys = config.RECOUP_ENCRYPTION_KEYS ?? folder.secret('encryption-keys', newEncryptionKey)
  const ring = readKeyRing(keys)
  const psps = simulatedPsps(config)
  const simulators = describeSimulators(psps, config.RECOUP_SIMULATORS_PORT)
  const services: Partial<Record<string, Service>> = {}
  let stack: StackFile | undefined
  let servers: { postgres: Backing; temporal: Backing } | undefined

  const onChange = () => {
    if (!stack || shutdown.begun) return
    stack.processes = processesOf(servers, services)
    folder.write(STACK_FILE, stack)
  }
  const serve = async (definition: Omit<ServiceDefinition, 'env'>, env: Record<string, string>) => {
    const service = await startService(folder, { ...definition, env }, say, onChange)
    shutdown.register('services', () => service.stop(GRACE_SECONDS * 1_000 + 1_000))
    services[definition.name] = service
    return service
  }

  const simulating =
    psps.length > 0
      ? startSimulators(
          serve,
          options,
          psps.map((psp) => psp.definition.source),
        )
      : undefined
  const temporalReady = provideTemporal(config, folder, say, options.progress, onChange).then((temporal) => {
    shutdown.register('servers', temporal.stop)
    return temporal
  })
  const recordsReady = providePostgres(config, folder, say, onChange).then(async (postgres) => {
    shutdown.register('servers', postgres.stop)
    return { postgres, ...(await prepareRecords(postgres.address, ring, options)) }
  })
  const [records, temporal] = await settled(recordsReady, temporalReady, simulating)
  servers = { postgres: records.postgres, temporal }
  const { db, demo } = records
  try {
    const moved = Object.fromEntries(
      psps.map((psp) => [psp.addressVariable, simulators[psp.definition.source]?.url ?? '']),
    )
    const env = {
      DATABASE_URL: records.postgres.address,
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_NAMESPACE: config.TEMPORAL_NAMESPACE,
      RECOUP_ENVIRONMENT: config.RECOUP_ENVIRONMENT,
      RECOUP_ENCRYPTION_KEYS: keys,
      RECOUP_API_PORT: String(config.RECOUP_API_PORT),
      RECOUP_WORKER_PORT: String(config.RECOUP_WORKER_PORT),
      RECOUP_POLL_INTERVAL_SECONDS: String(config.RECOUP_POLL_INTERVAL_SECONDS),
      RECOUP_SHUTDOWN_GRACE_SECONDS: String(GRACE_SECONDS),
      ...moved,
    }
    const [api, worker] = await settled(
      serve(
        {
          name: 'api',
          script: 'api/main.ts',
          ports: [{ port: config.RECOUP_API_PORT, variable: 'RECOUP_API_PORT' }],
          readyUrl: `http://127.0.0.1:${config.RECOUP_API_PORT}/ready`,
        },
        env,
      ),
      serve(
        {
          name: 'worker',
          script: 'workflows/worker.ts',
          ports: [{ port: config.RECOUP_WORKER_PORT, variable: 'RECOUP_WORKER_PORT' }],
          readyUrl: `http://127.0.0.1:${config.RECOUP_WORKER_PORT}/ready`,
        },
        env,
      ),
    )
    await api.ready()
    const root = `http://127.0.0.1:${config.RECOUP_API_PORT}`
    for (const psp of psps) {
      const controlUrl = simulators[psp.definition.source]?.controlUrl ?? ''
      await connectDemo(demo, folder, psp, { apiUrl: `${root}/v1`, controlUrl })
    }
    await worker.ready()
    stack = {
      apiUrl: `${root}/v1`,
      docsUrl: `${root}/docs`,
      temporalUiUrl: temporal.uiUrl,
      temporalAddress: temporal.address,
      temporalNamespace: config.TEMPORAL_NAMESPACE,
      databaseUrl: records.postgres.address,
      tokens: demo.tokens,
      merchant: { merchantUuid: demo.merchantUuid, referenceId: demo.referenceId },
      integrations: await describeIntegrations(db, demo),
      simulators,
      processes: processesOf(servers, services),
    }
    folder.write(STACK_FILE, stack)
    return stack
  } finally {
    await db.destroy()
  }
}

async function prepareRecords(
  url: string,
  ring: ReturnType<typeof readKeyRing>,
  { config, folder, empty, say }: StackOptions,
): Promise<{ db: Database; demo: Demo }> {
  const db = connect(url, { max: 2, statementTimeoutMs: 0 })
  const applied = await migrate(db)
  if (applied.length > 0) say(`Migrated the database: ${applied.join(', ')}`)
  return { db, demo: await ensureDemo(db, ring, folder, { environment: config.RECOUP_ENVIRONMENT, empty }) }
}

type Serve = (definition: Omit<ServiceDefinition, 'env'>, env: Record<string, string>) => Promise<Service>

async function startSimulators(serve: Serve, { config, folder }: StackOptions, sources: string[]): Promise<void> {
  const control = config.RECOUP_SIMULATORS_PORT
  const variable = 'RECOUP_SIMULATORS_PORT'
  const ports = [control, ...sources.map((_, index) => control + 1 + index)].map((port) => ({ port, variable }))
  const readyUrl = `http://127.0.0.1:${control}/health`
  const simulators = await serve(
    { name: 'simulators', script: 'local/simulators.ts', ports, readyUrl },
    {
      RECOUP_SIMULATORS: sources.join(','),
      RECOUP_SIMULATORS_PORT: String(control),
      RECOUP_SIMULATORS_FOLDER: folder.simulators,
    },
  )
  await simulators.ready()
}

function processesOf(
  servers: { postgres: Backing; temporal: Backing } | undefined,
  services: Partial<Record<string, Service>>,
): StackFile['processes'] {
  return {
    api: services.api?.pid() ?? null,
    worker: services.worker?.pid() ?? null,
    postgres: servers?.postgres.pid() ?? null,
    temporal: servers?.temporal.pid() ?? null,
    simulators: services.simulators?.pid() ?? null,
  }
}

/** Like Promise.all, but none is left running when another one failed: all of them can be stopped then. */
async function settled<T extends readonly unknown[]>(
  ...promises: T
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const results = await Promise.allSettled(promises)
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
  return results.map((result) => (result as PromiseFulfilledResult<unknown>).value) as never
}

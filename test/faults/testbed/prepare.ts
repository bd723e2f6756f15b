import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { connect } from '../../../db/core/connect.ts'
import { migrate } from '../../../db/core/migrate.ts'
import { type PostgresServer, startPostgres } from '../../../local/postgres.ts'
import { isAlive, stopProcess, waitForEnd } from '../../../local/processes.ts'
import { startTemporalServer, type TemporalServer, wipeDatabase } from '../../../local/temporal/server.ts'
import { quietPorts } from '../../../process/ports.ts'
import type { DisputeEngine } from '../../../simulators/engine/engine.ts'
import type { Child } from '../../harness/child.ts'
import { asApp, PASSWORD } from '../../harness/database.ts'
import { testServers } from '../../harness/servers.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { until } from '../../harness/until.ts'
import { createKeys, type Keys } from '../integrations/keys.ts'
import { type Connected, secretOf } from './connected.ts'
import { ADAPTERS, type AdapterName, controlOf, simulated, TWO_DOCUMENTS } from './psps.ts'

/** A Recoup process in which work can be held, by files in its own folder. */
export interface Victim {
  child: Child
  holds: string
}

export interface Dispute {
  adapter: AdapterName
  /** The PSP's id. */
  reference: string
  /** Ours. */
  chargebackId: string
  /** The PSP requires two documents. */
  twoDocuments: boolean
}

/** Everything that a fault can hit, for this run alone: Postgres and Temporal on disk, an API, a worker, five PSPs. */
export interface Testbed {
  stack: Stack
  engines: Record<AdapterName, DisputeEngine>
  postgres: PostgresServer
  temporal: TemporalServer
  api: Victim
  worker: Victim
  /** Keys of the PSPs' accounts. */
  keys: Keys
  /** The current integrations of the chargebacks of `take`. */
  connections: Map<AdapterName, Connected>
  /** Integrations of an account that was connected again: they need not show what the PSP has. */
  others: Set<string>
  startPostgres(): Promise<void>
  /** `wiped`: with an empty database; it must not be running. */
  startTemporal(options?: { wiped?: boolean }): Promise<void>
  startApi(): Promise<void>
  startWorker(): Promise<Victim>
  /** An unused chargeback. */
  take(adapter: AdapterName, options?: { twoDocuments?: boolean }): Dispute
  [Symbol.asyncDispose](): Promise<void>
}

export interface GroundOptions {
  /** Chargebacks of each adapter. */
  disputes: Partial<Record<AdapterName, number>>
  /** Additional chargebacks that require two documents, at PSPs that have such. */
  twoDocuments?: number
  env?: Record<string, string>
}

export async function startTestbed(options: GroundOptions): Promise<Testbed> {
  const adapters = ADAPTERS.filter((adapter) => options.disputes[adapter] !== undefined)
  const folder = mkdtempSync(join(tmpdir(), 'recoup-torture-'))
  // The user that runs Postgres instead of root needs access.
  chmodSync(folder, 0o711)
  const [postgresPort = 0, temporalPort = 0, apiPort = 0] = await quietPorts(3)
  const openPostgres = () =>
    // With full durability, because commits must survive a kill.
    startPostgres({ folder: join(folder, 'postgres'), port: postgresPort, password: PASSWORD, maxConnections: 100 })
  const openTemporal = () =>
    startTemporalServer({
      cli: { path: testServers().temporalCli, origin: 'test', version: 'test' },
      port: temporalPort,
      uiPort: null,
      folder: join(folder, 'temporal'),
      logFile: join(folder, 'temporal.log'),
      exactTimers: true,
      namespaces: ['default'],
    })
  const [postgres, temporal] = await Promise.all([openPostgres(), openTemporal()])
  const databaseUrl = await makeDatabase(postgres.url)
  const keys = createKeys(secretOf)
  const stack = await startStack({
    apis: 0,
    workers: 0,
    databaseUrl,
    temporal: { address: temporal.address, namespace: 'default' },
    psps: Object.fromEntries(adapters.map((one) => [simulated(one).addressVariable, keys.behind(one)])),
    env: {
      RECOUP_RATE_LIMIT_PER_MINUTE: '1000000',
      // Dozens of commands start at once: with a shorter limit, attempts would time out and start again for ever.
      RECOUP_COMMAND_TIMEOUT_MS: '8000',
      RECOUP_HEARTBEAT_MS: '4000',
      ...options.env,
    },
  })
  const engineOf = (adapter: AdapterName) => stack.others.get(adapter)?.engine as DisputeEngine
  const pools = new Map<AdapterName, Dispute[]>()
  let victims = 0
  const holds = (name: string) => {
    victims += 1
    const path = join(folder, `${name}-${victims}`)
    mkdirSync(path)
    return path
  }
  const testbed: Testbed = {
    stack,
    engines: Object.fromEntries(adapters.map((one) => [one, engineOf(one)])) as Testbed['engines'],
    postgres,
    temporal,
    api: undefined as unknown as Victim,
    worker: undefined as unknown as Victim,
    keys,
    connections: new Map(),
    others: new Set(),
    async startPostgres() {
      testbed.postgres = await openPostgres()
    },
    async startTemporal({ wiped = false } = {}) {
      if (wiped) wipeDatabase(join(folder, 'temporal'))
      testbed.temporal = await openTemporal()
    },
    async startApi() {
      const folderOfHolds = holds('api')
      const child = await stack.startApi({ RECOUP_API_PORT: String(apiPort), HOLD_AT: folderOfHolds })
      testbed.api = { child, holds: folderOfHolds }
    },
    async startWorker() {
      const folderOfHolds = holds('worker')
      const child = await stack.startWorker({ HOLD_AT: folderOfHolds })
      testbed.worker = { child, holds: folderOfHolds }
      return testbed.worker
    },
    take(adapter, { twoDocuments = false } = {}) {
      const pool = pools.get(adapter) ?? []
      const [dispute] = pool.splice(pool.findLastIndex((one) => one.twoDocuments === twoDocuments) >>> 0, 1)
      if (!dispute) throw new Error(`no chargeback of ${adapter} is left: create more`)
      return dispute
    },
    async [Symbol.asyncDispose]() {
      await stack[Symbol.asyncDispose]().catch(() => undefined)
      await Promise.all([testbed.temporal.stop(), testbed.postgres.stop()])
      rmSync(realpathSync(join(folder, 'postgres')), { recursive: true, force: true })
      rmSync(folder, { recursive: true, force: true })
    },
  }
  try {
    await Promise.all([testbed.startApi(), testbed.startWorker()])
    await Promise.all(adapters.map(async (adapter) => pools.set(adapter, await connectPsp(testbed, adapter, options))))
  } catch (error) {
    await testbed[Symbol.asyncDispose]()
    throw error
  }
  return testbed
}

async function makeDatabase(url: string): Promise<string> {
  const admin = connect(url, { scope: 'owner', max: 1 })
  await admin.pool.query('create database torture')
  await admin.destroy()
  const databaseUrl = url.replace(/\/postgres$/, '/torture')
  const db = connect(databaseUrl, { scope: 'owner', max: 1, statementTimeoutMs: 0 })
  await migrate(db, 'sandbox', asApp(databaseUrl))
  // Dozens of commands at once would wait for the PSP's rate limit, which other tests cover. Retry-After still counts.
  await sql`
    create function plenty() returns trigger language plpgsql as $$ begin new.tokens := 1000; return new; end $$;
    create trigger plenty before insert or update on rate_bucket for each row execute function plenty()`.execute(db)
  await db.destroy()
  return asApp(databaseUrl)
}

/** Creates disputes at one simulated PSP, connects its account and waits until they are stored. */
async function connectPsp(testbed: Testbed, adapter: AdapterName, options: GroundOptions): Promise<Dispute[]> {
  const { stack, engines } = testbed
  const { definition } = simulated(adapter)
  const control = controlOf(stack, adapter)
  const order = async (count: number, reason: string): Promise<string[]> => {
    if (count === 0) return []
    const wanted = { count, reason, status: 'needs_response', stage: 'chargeback', dueInHours: 200 }
    const { disputes } = await control<{ disputes: { ref: string }[] }>('POST', '/disputes', wanted)
    return disputes.map(({ ref }) => ref)
  }
  const ordered = await order(options.disputes[adapter] ?? 0, '10.4')
  const reason = TWO_DOCUMENTS[adapter]
  const twoDocuments = new Set(reason ? await order(options.twoDocuments ?? 0, reason) : [])
  const count = ordered.length + twoDocuments.size
  const integrationId = await stack.connectStripe({
    source: adapter,
    secretType: definition.secretType,
    secretPayload: definition.homeSecretPayload ?? definition.secretPayload,
    externalIdentifier: definition.profile.homeAccount,
  })
  const url = `${stack.apis.at(-1)?.url}/v1/notifications/${integrationId}`
  testbed.connections.set(adapter, { adapter, account: definition.profile.homeAccount, integrationId })
  if (adapter === 'adyen') await control('POST', '/subscriptions', { url, backlog: true })
  const ours = () =>
    stack.db
      .selectFrom('chargeback')
      .select(['id', 'chargeback_id'])
      .where('integration_id', '=', integrationId)
      .where('psp_status', '=', 'needs_response')
      // Enrichment locks dozens of rows, and would wait for one that is held.
      .where('context_at', 'is not', null)
      .execute()
  const rows = await until(`${count} chargebacks of ${adapter} are there`, ours, {
    holds: (found) => found.length === count,
    timeoutMs: 240_000,
  })
  const references = new Set(
    engines[adapter]
      .account(definition.profile.homeAccount)
      .disputes.all()
      .map((one) => one.reference),
  )
  return rows
    .filter((row) => references.has(row.chargeback_id))
    .map(({ id: chargebackId, chargeback_id: reference }) => {
      return { adapter, reference, chargebackId, twoDocuments: twoDocuments.has(reference) }
    })
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** SIGKILL. Resolves when the process no longer exists. */
export async function killAtOnce(pid: number): Promise<void> {
  if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  if (!(await waitForEnd([pid], 5_000))) await stopProcess(pid, 0)
  // The process that adopted it must reap it: until then its id is in use.
  await until('the process is reaped', () => !exists(pid))
}

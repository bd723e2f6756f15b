import { type ConnectedDatabase, connect } from '../../db/core/connect.ts'
import { migrate } from '../../db/core/migrate.ts'
import { type KeyRing, readKeyRing } from '../../db/core/seal.ts'
import { scriptArguments } from '../../local/run-script.ts'
import { quietPorts } from '../../process/ports.ts'
import { newRing } from '../ours/recoup.ts'
import type { OtherSide, TemporalAddresses } from '../psp/other-side.ts'
import { asApp } from '../runner/app-role.ts'
import { type Child, openChild } from '../runner/child.ts'
import type { Databases } from '../runner/databases.ts'
import { openStack } from '../runner/stack.ts'

/** The product at work: API, workers, Temporal and Postgres as processes, with shards that poll the bulk Stripe. */
export interface Service {
  /** Of the owner of the tables. */
  db: ConnectedDatabase
  ring: KeyRing
  /** The first of the APIs. */
  apiUrl: string
  apiUrls: string[]
  temporal: TemporalAddresses
  /** Pids of API and workers. */
  pids: number[]
  /** Starts API and workers, once the database has what they are to find. */
  start(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export interface ServiceOptions {
  pspUrl: string
  workers?: number
  apis?: number
  /** Another server than a dev server of its own. */
  temporal?: TemporalAddresses
  env?: Record<string, string>
}

const READY_MS = 180_000
const MANY = '100000000'

export async function openService(
  otherSide: OtherSide,
  databases: Databases,
  { pspUrl, workers = 1, apis = 1, env = {}, ...given }: ServiceOptions,
): Promise<Service> {
  const stack = openStack()
  const databaseUrl = await databases.create()
  const db = connect(databaseUrl, { scope: 'owner', max: 2, statementTimeoutMs: 0 })
  stack.use({ [Symbol.asyncDispose]: () => db.destroy() })
  try {
    await migrate(db, 'sandbox', asApp(databaseUrl))
    const temporal = given.temporal ?? (await otherSide.temporal())
    const keys = newRing()
    const ports = await quietPorts(2 * apis + workers)
    const pids: number[] = []
    const variables = {
      DATABASE_URL: asApp(databaseUrl),
      TEMPORAL_ADDRESS: temporal.address,
      RECOUP_ENCRYPTION_KEYS: keys,
      STRIPE_API_URL: pspUrl,
      RECOUP_POLLING: 'dispatch',
      RECOUP_LOG_LEVEL: 'error',
      RECOUP_RATE_LIMIT_PER_MINUTE: MANY,
      RECOUP_ACCOUNT_LIMIT_PER_MINUTE: MANY,
      RECOUP_STRANGER_LIMIT_PER_MINUTE: MANY,
      ...env,
    }
    const launch = async (script: string, name: string, readyUrl: string, more = {}) => {
      const child: Child = stack.use(openChild(process.execPath, scriptArguments(script), { name }))
      pids.push(child.pid)
      await child.ask({ env: { ...variables, ...more } })
      await untilReady(name, readyUrl)
    }
    const urlOf = (port: number) => `http://127.0.0.1:${port}`
    const apiPorts = ports.slice(0, apis)
    const apiUrls = apiPorts.map(urlOf)
    const api = (port: number, index: number) =>
      launch('bench/reads/api-process.ts', 'an API', `${urlOf(port)}/health`, {
        RECOUP_API_PORT: String(port),
        RECOUP_API_METRICS_PORT: String(ports[apis + index]),
      })
    const worker = (port: number) =>
      launch('bench/service/worker-process.ts', 'a worker', `${urlOf(port)}/ready`, {
        RECOUP_WORKER_PORT: String(port),
      })
    return {
      ...{ db, ring: readKeyRing(keys), apiUrl: apiUrls[0] ?? '', apiUrls, temporal, pids },
      async start() {
        await Promise.all([...apiPorts.map(api), ...ports.slice(2 * apis).map(worker)])
      },
      [Symbol.asyncDispose]: () => stack.dispose(),
    }
  } catch (error) {
    await stack.dispose()
    throw error
  }
}

async function untilReady(name: string, url: string): Promise<void> {
  const answers = () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
  await until(`${name} is ready`, answers, READY_MS)
}

/** @throws when it does not come true in time */
export async function until(what: string, holds: () => Promise<boolean>, timeoutMs: number): Promise<void> {
  for (const end = Date.now() + timeoutMs; !(await holds()); ) {
    if (Date.now() > end) throw new Error(`it never came true that ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

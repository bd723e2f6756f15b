import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serveOrders, surviveDroppedDatabases } from '../../runner/child.ts'
import { ownTime, peakRssMb } from '../../runner/clocks.ts'
import { requireFrom } from '../install.ts'
import { openApiStub } from './open-api.ts'

/** What is used of @stripe/sync-engine, as its types have it. */
interface Engine {
  runMigrations(config: object): Promise<void>
  StripeSync: { create(config: object): Promise<Sync> }
}
interface Sync {
  stripe: { _setApiField(name: string, value: string | number): void }
  postgresClient: { pool: { end(): Promise<void> } }
  fullSync(
    objects: string[],
    segmented: boolean,
    workers: number,
    rate: number,
    monitor: boolean,
    interval: number,
  ): Promise<{ totalSynced: number }>
}

interface Open {
  do: 'open'
  databaseUrl: string
  pspUrl: string
  key: string
  limited: boolean
}

const WORKERS = 20
/** Requests a second: its default, and one that it never reaches. */
const DEFAULT_RATE = 10
const NO_LIMIT = 100_000
const SCHEMA = 'stripe'

const folder = process.argv[2] ?? ''
const quiet = { info() {}, warn() {}, error() {}, debug() {} }
const { StripeSync, runMigrations } = requireFrom<Engine>(folder, '@stripe/sync-engine')
const openApiSpecPath = join(folder, 'open-api.json')
writeFileSync(openApiSpecPath, JSON.stringify(openApiStub()))

surviveDroppedDatabases()

let sync: Sync | null = null
let limited = false

async function open(order: Open): Promise<void> {
  limited = order.limited
  await runMigrations({ databaseUrl: order.databaseUrl, schemaName: SCHEMA, openApiSpecPath, logger: quiet })
  const { hostname, port } = new URL(order.pspUrl)
  const account = `acct_${order.key.replace(/^sk_test_/, '')}`
  sync = await StripeSync.create({
    schemaName: SCHEMA,
    stripeSecretKey: order.key,
    stripeWebhookSecret: 'whsec_bench',
    stripeAccountId: account,
    poolConfig: { connectionString: order.databaseUrl, max: WORKERS },
    logger: quiet,
  })
  sync.stripe._setApiField('host', hostname)
  sync.stripe._setApiField('port', Number(port))
  sync.stripe._setApiField('protocol', 'http')
}

await serveOrders(async (order: Open | { do: 'sync' } | { do: 'close' }) => {
  if (order.do === 'open') return open(order)
  if (!sync) throw new Error('nothing is open')
  const engine = sync
  if (order.do === 'close') return engine.postgresClient.pool.end()
  // As delivered in segments at its default rate; else in one piece, without its limiter.
  const { result, ...times } = await ownTime(() =>
    engine.fullSync(['dispute'], limited, WORKERS, limited ? DEFAULT_RATE : NO_LIMIT, false, 0),
  )
  return { rows: result.totalSynced, ...times, rssMb: peakRssMb() }
})

import { serveOrders, surviveDroppedDatabases } from '../../runner/child.ts'
import { ownTime, peakRssMb } from '../../runner/clocks.ts'
import { requireFrom } from '../install.ts'

/** What is used of @supabase/stripe-sync-engine and of its peer, as their documentation has it. */
interface Engine {
  runMigrations(config: { schema: string; databaseUrl: string }): Promise<void>
  StripeSync: new (config: object) => Sync
}
interface Sync {
  stripe: unknown
  postgresClient: { pool: { end(): Promise<void> } }
  syncDisputes(options: object): Promise<{ synced: number }>
}
type StripeSdk = new (key: string, config: object) => unknown

interface Open {
  do: 'open'
  databaseUrl: string
  pspUrl: string
  key: string
}

const folder = process.argv[2] ?? ''
// As CommonJS: the ES module's runMigrations() fails on __dirname and keeps quiet about it.
const { StripeSync, runMigrations } = requireFrom<Engine>(folder, '@supabase/stripe-sync-engine')
const loaded = requireFrom<StripeSdk & { default?: StripeSdk }>(folder, 'stripe')
const Stripe = loaded.default ?? loaded

surviveDroppedDatabases()

let sync: Sync | null = null

async function open({ databaseUrl, pspUrl, key }: Open): Promise<void> {
  await runMigrations({ schema: 'stripe', databaseUrl })
  const { hostname: host, port } = new URL(pspUrl)
  sync = new StripeSync({
    schema: 'stripe',
    stripeSecretKey: key,
    stripeWebhookSecret: 'whsec_bench',
    poolConfig: { connectionString: databaseUrl, max: 10 },
    backfillRelatedEntities: false,
  })
  sync.stripe = new Stripe(key, { host, port, protocol: 'http', telemetry: false })
}

await serveOrders(async (order: Open | { do: 'sync' } | { do: 'close' }) => {
  if (order.do === 'open') return open(order)
  if (!sync) throw new Error('nothing is open')
  const { syncDisputes, postgresClient } = sync
  if (order.do === 'close') return postgresClient.pool.end()
  const { result, ...times } = await ownTime(() => syncDisputes.call(sync, { backfillRelatedEntities: false }))
  return { rows: result.synced, ...times, rssMb: peakRssMb() }
})

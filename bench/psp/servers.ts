import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../../local/postgres.ts'
import { simulatorNamed } from '../../local/psps.ts'
import { ensureTemporalCli } from '../../local/temporal/fetch.ts'
import { startTemporalServer } from '../../local/temporal/server.ts'
import { quietPorts } from '../../process/ports.ts'
import { createDisputes } from '../../simulators/engine/create.ts'
import { type RunningSimulator, startSimulator } from '../../simulators/engine/serve.ts'
import { startTemporalOnPostgres } from '../peers/temporal-server/start.ts'
import { serveOrders } from '../runner/child.ts'
import { type BulkStripe, serveBulk } from './bulk.ts'
import type { FillOrder, ServerAddresses, ServerOrder, TemporalAddresses } from './other-side.ts'

/**
 * Process that plays the PSPs of a benchmark and owns its Postgres, so that neither costs the measured process any CPU.
 * It stops everything when its standard input ends: a benchmark that was killed leaves nothing behind.
 */
const stops: (() => Promise<void>)[] = []
let simulator: RunningSimulator | null = null
let bulk: BulkStripe | null = null

async function perform(order: ServerOrder): Promise<unknown> {
  if (order.do === 'postgres') return temporaryPostgres()
  if (order.do === 'temporal') return temporaryTemporal()
  if (order.do === 'temporal_on_postgres') return temporalOnPostgres(order)
  if (order.do === 'simulate') return simulate(order.source)
  if (order.do === 'fill') return fill(order)
  if (order.do === 'bulk') {
    if (bulk && !order.beside) await bulk.close()
    else if (bulk) stops.push(bulk.close)
    bulk = await serveBulk(order)
    return bulk.url
  }
  if (!bulk) throw new Error('no bulk PSP was started')
  if (order.do === 'change') return bulk.change(order)
  if (order.do === 'closings') return bulk.closings()
  return bulk.counters()
}

async function simulate(source: string): Promise<string> {
  const named = simulatorNamed(source)
  if (!named) throw new Error(`there is no simulator of ${source}`)
  const started = await startSimulator(named.definition)
  simulator = started
  stops.push(() => started[Symbol.asyncDispose]())
  return started.url
}

async function fill({ count, account, notify }: FillOrder): Promise<number> {
  if (!simulator) throw new Error('no PSP was started')
  const { engine } = simulator
  const created = createDisputes(engine, { count, account }).length
  if (notify === null) return created
  engine.subscriptions.add({ url: notify, account, backlog: true })
  await engine.subscriptions.idle()
  for (const { id } of engine.subscriptions.list()) engine.subscriptions.remove(id)
  return created
}

/** In memory: for counts and for ratios inside one run, not for rates. */
async function temporaryTemporal(): Promise<TemporalAddresses> {
  const [port = 0, metricsPort = 0] = await quietPorts(2)
  const cli = await ensureTemporalCli((sentence) => process.stderr.write(`${sentence}\n`))
  const folder = mkdtempSync(join(tmpdir(), 'recoup-bench-temporal-'))
  stops.push(async () => rmSync(folder, { recursive: true, force: true }))
  const logFile = join(folder, 'temporal.log')
  const server = await startTemporalServer({ cli, port, uiPort: null, folder: null, logFile, metricsPort })
  stops.push(() => server.stop())
  return { address: server.address, metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`, pid: server.pid }
}

/** Its databases end with the Postgres of the benchmark, or stay on the server that DATABASE_URL names. */
async function temporalOnPostgres({ programs, postgresUrl }: { programs: string; postgresUrl: string }) {
  const { stop, ...addresses } = await startTemporalOnPostgres(programs, postgresUrl)
  stops.push(stop)
  return addresses
}

/** Of two services with several workers each, and of a Temporal server. */
const MAX_CONNECTIONS = 300

/** Durable like a real one: with fsync off a benchmark would flatter every write. */
async function temporaryPostgres(): Promise<NonNullable<ServerAddresses['postgres']>> {
  const folder = mkdtempSync(join(tmpdir(), 'recoup-bench-'))
  // The user that runs Postgres instead of root has to get through.
  chmodSync(folder, 0o711)
  const data = join(folder, 'postgres')
  const [port = 0] = await quietPorts(1)
  stops.push(async () => {
    rmSync(realpathSync(data), { recursive: true, force: true })
    rmSync(folder, { recursive: true, force: true })
  })
  const server = await startPostgres({ folder: data, port, password: 'recoup', maxConnections: MAX_CONNECTIONS })
  stops.push(() => server.stop())
  return { url: server.url, pid: server.pid }
}

await serveOrders(perform, async () => {
  await bulk?.close()
  for (const stop of stops.reverse()) await stop().catch((error: Error) => process.stderr.write(`${error.message}\n`))
})

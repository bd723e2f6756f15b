import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startPostgres } from '../local/postgres.ts'
import { simulatorNamed } from '../local/psps.ts'
import { quietPorts } from '../process/ports.ts'
import { createDisputes } from '../simulators/engine/create.ts'
import { startSimulator } from '../simulators/engine/serve.ts'
import type { FillOrder, ServerAddresses } from './other-side.ts'

/**
 * Process that plays the PSP named in its first argument and owns the Postgres of a benchmark, so that neither costs
 * the measured process any CPU. It answers each line of JSON that it reads with one, and stops everything when its
 * standard input ends: a benchmark that was killed leaves nothing behind.
 */
const source = process.argv[2] ?? ''
const ownPostgres = process.argv.includes('--postgres')
const stops: (() => Promise<void>)[] = []

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
process.stdout.on('error', () => undefined)
const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`)

async function start(): Promise<(order: FillOrder) => Promise<unknown>> {
  const named = simulatorNamed(source)
  if (!named) throw new Error(`there is no simulator of ${source}`)
  const simulator = await startSimulator(named.definition)
  stops.push(() => simulator[Symbol.asyncDispose]())
  const postgres = ownPostgres ? await temporaryPostgres() : null
  say({ pspUrl: simulator.url, postgres } satisfies ServerAddresses)
  return async ({ count, account, notify }) => {
    const created = createDisputes(simulator.engine, { count, account }).length
    if (notify !== null) {
      simulator.engine.subscriptions.add({ url: notify, account, backlog: true })
      await simulator.engine.subscriptions.idle()
      for (const { id } of simulator.engine.subscriptions.list()) simulator.engine.subscriptions.remove(id)
    }
    return { created }
  }
}

/** Durable like a production server: with fsync off every write would be too fast. */
async function temporaryPostgres(): Promise<ServerAddresses['postgres']> {
  const folder = mkdtempSync(join(tmpdir(), 'recoup-bench-'))
  // The user that runs Postgres in place of root needs access.
  chmodSync(folder, 0o711)
  const data = join(folder, 'postgres')
  const [port = 0] = await quietPorts(1)
  stops.push(async () => {
    rmSync(realpathSync(data), { recursive: true, force: true })
    rmSync(folder, { recursive: true, force: true })
  })
  const server = await startPostgres({ folder: data, port, password: 'recoup' })
  stops.push(() => server.stop())
  return { url: server.url, pid: server.pid }
}

const lines = createInterface({ input: process.stdin })
const fillers = start().catch((error: Error) => void say({ error: error.message }))
lines.on('line', (line) => {
  fillers
    .then((fill) => fill?.(JSON.parse(line) as FillOrder))
    .then(say, (error: Error) => say({ error: error.message }))
})
await new Promise((resolve) => lines.on('close', resolve))
await fillers
for (const stop of stops.reverse()) await stop().catch((error: Error) => process.stderr.write(`${error.message}\n`))
process.exit()

import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { connect } from '../../db/core/connect.ts'
import { migrate } from '../../db/core/migrate.ts'
import { startPostgres } from '../../local/postgres.ts'
import { stopProcess } from '../../local/processes.ts'
import { createConsole } from '../../local/progress.ts'
import { ensureTemporalCli } from '../../local/temporal/fetch.ts'
import { startTemporalServer } from '../../local/temporal/server.ts'
import { quietPorts } from '../../process/ports.ts'
import { asApp, PASSWORD, TEMPLATE } from './database.ts'
import { buildInto } from './installation/built.ts'
import { endLeftovers } from './leftovers.ts'
import { NAMESPACES } from './namespace.ts'
import { statementLog } from './statement-log.ts'

/**
 * Process that owns the test servers. It prints their addresses as one line of JSON and stops them when its standard
 * input ends, so that even a runner killed with -9 leaves nothing behind. Each line that it reads is a process group
 * that must end with the run.
 */
const run = process.env.RECOUP_TEST_RUN ?? ''
const folder = mkdtempSync(join(tmpdir(), 'recoup-test-'))
// The user that runs Postgres instead of root needs access.
chmodSync(folder, 0o711)
const groups = new Set<number>()
const stops: (() => Promise<void>)[] = []

// Ctrl-C reaches the whole terminal; the runner decides when this ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
process.stdout.on('error', () => undefined)

const input = createInterface({ input: process.stdin })
input.on('line', (line) => groups.add(Number(line)))
const closed = new Promise<void>((resolve) => {
  input.on('close', resolve)
})

async function start(): Promise<void> {
  const [postgresPort = 0, temporalPort = 0] = await quietPorts(2)
  const options = { folder: join(folder, 'postgres'), port: postgresPort, password: PASSWORD, maxConnections: 300 }
  const settings = statementLog(process.env.RECOUP_TEST_STATEMENTS)
  const postgres = startPostgres({ ...options, durable: false, settings }).then(async (server) => {
    stops.push(server.stop)
    await makeTemplate(server.url)
    return server
  })
  const temporal = ensureTemporalCli(createConsole(process.stderr).progress).then(async (cli) => {
    const logFile = join(folder, 'temporal.log')
    const base = { cli, port: temporalPort, uiPort: null, folder: null, logFile, exactTimers: true }
    const server = await startTemporalServer({ ...base, namespaces: NAMESPACES })
    stops.push(() => stopProcess(server.pid, 0))
    return { ...server, cli }
  })
  const built = buildInto(folder)
  // Wait for all of them, so that all can be stopped even if one fails.
  await Promise.allSettled([postgres, temporal, built])
  const [database, server] = await Promise.all([postgres, temporal, built])
  const found = { postgresUrl: database.url, temporalAddress: server.address, temporalCli: server.cli.path, folder }
  process.stdout.write(`${JSON.stringify(found)}\n`)
}

async function makeTemplate(url: string): Promise<void> {
  const admin = connect(url, { scope: 'owner', max: 1 })
  await admin.pool.query(`create database ${TEMPLATE}`)
  await admin.pool.query(`create sequence namespaces`)
  await admin.destroy()
  const db = connect(url.replace(/\/postgres$/, `/${TEMPLATE}`), { scope: 'owner', max: 1, statementTimeoutMs: 0 })
  await migrate(db, 'sandbox', asApp(url))
  await db.destroy()
}

const started = start().catch((error: Error) => {
  process.stdout.write(`${JSON.stringify({ error: error.message })}\n`)
  process.exitCode = 1
})
await closed
for (const group of groups) {
  try {
    process.kill(-group, 'SIGKILL')
  } catch {
    // Ended by itself.
  }
}
await started
await Promise.all(stops.map((stop) => stop()))
for (const command of await endLeftovers(run)) process.stderr.write(`left running by a test, ended now: ${command}\n`)
// A link, when root's temporary folder is closed to the user that runs Postgres.
rmSync(realpathSync(join(folder, 'postgres')), { recursive: true, force: true })
rmSync(folder, { recursive: true, force: true })
process.exit()

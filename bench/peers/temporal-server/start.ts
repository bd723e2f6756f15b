import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { stopProcess } from '../../../local/processes.ts'
import { runCommand } from '../../../local/run-command.ts'
import { ensureTemporalCli } from '../../../local/temporal/fetch.ts'
import { temporalAnswers } from '../../../local/temporal/probe.ts'
import { quietPorts } from '../../../process/ports.ts'
import { SEARCH_ATTRIBUTES } from '../../../workflows/contract.ts'
import type { TemporalAddresses } from '../../psp/other-side.ts'
import { installFromGo } from '../install.ts'
import { configuration, DYNAMIC } from './configuration.ts'

/** Temporal's server with all services in one process, as a self-hosted installation on one machine has it. */
export const SERVER_VERSION = '1.30.6'
const PROGRAMS = ['go.temporal.io/server/cmd/server', 'go.temporal.io/server/cmd/tools/sql'].map(
  (path) => `${path}@v${SERVER_VERSION}`,
)
/** @returns the folder of the programs @throws PeerMissing without Go */
export const installTemporalServer = () => installFromGo('temporal-server', PROGRAMS)

const START_MS = 120_000
const SCHEMAS = { temporal: 'postgresql/v12/temporal', visibility: 'postgresql/v12/visibility' } as const

/**
 * Creates the server's two databases and a namespace, and starts it.
 * @param programs folder of `installTemporalServer`
 * @returns its addresses, the names of its databases, and what ends it
 */
export async function startTemporalOnPostgres(
  programs: string,
  postgresUrl: string,
): Promise<TemporalAddresses & { databases: string[]; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'recoup-bench-temporal-'))
  const [metricsPort = 0, ...ports] = await quietPorts(9)
  const suffix = String(process.pid)
  const databases = { temporal: `temporal_${suffix}`, visibility: `temporal_visibility_${suffix}` }
  for (const kind of ['temporal', 'visibility'] as const)
    await createSchema(join(programs, 'sql'), postgresUrl, databases[kind], SCHEMAS[kind])
  const dynamicFile = join(folder, 'dynamic.yaml')
  writeFileSync(dynamicFile, DYNAMIC)
  const file = join(folder, 'server.yaml')
  writeFileSync(file, configuration({ postgresUrl, databases, ports, metricsPort, dynamicFile }), { mode: 0o600 })
  const logFile = join(folder, 'server.log')
  const log = openSync(logFile, 'a')
  const words = ['--config-file', file, '--allow-no-auth', 'start']
  const child = spawn(join(programs, 'server'), words, { stdio: ['ignore', log, log], cwd: folder })
  closeSync(log)
  const pid = child.pid ?? 0
  const stop = async () => {
    await stopProcess(pid, 10_000)
    rmSync(folder, { recursive: true, force: true })
  }
  const address = `127.0.0.1:${ports[0]}`
  try {
    await untilAnswers(address, 'temporal-system', () =>
      child.exitCode === null ? null : readFileSync(logFile, 'utf8'),
    )
    await createNamespace(address)
    await untilAnswers(address, 'default', () => null)
  } catch (error) {
    await stop()
    throw error
  }
  const metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`
  return { address, metricsUrl, pid, databases: Object.values(databases), stop }
}

async function createSchema(program: string, postgresUrl: string, database: string, schema: string): Promise<void> {
  const { hostname, port, username, password } = new URL(postgresUrl)
  const where = ['--plugin', 'postgres12', '--endpoint', hostname, '--port', port, '--db', database]
  const who = ['--user', decodeURIComponent(username)]
  const env = { ...process.env, SQL_PASSWORD: decodeURIComponent(password) }
  for (const words of [['create'], ['setup-schema', '--version', '0.0'], ['update-schema', '--schema-name', schema]])
    await succeed(program, [...where, ...who, ...words], env)
}

/** What `temporal server start-dev` does by itself. */
async function createNamespace(address: string): Promise<void> {
  const { path } = await ensureTemporalCli((sentence) => process.stderr.write(`${sentence}\n`))
  const at = ['--address', address, '--namespace', 'default']
  await succeed(path, ['operator', 'namespace', 'create', ...at, '--retention', '24h'])
  const names = Object.values(SEARCH_ATTRIBUTES).flatMap(({ name, type }) => [
    ...['--name', name, '--type', type === 'DATETIME' ? 'Datetime' : 'Keyword'],
  ])
  // A new namespace is known to every service after a few seconds.
  await untilSucceeds(path, ['operator', 'search-attribute', 'create', ...at, ...names])
}

async function untilSucceeds(program: string, words: string[]): Promise<void> {
  for (const end = Date.now() + START_MS; ; await pause(500)) {
    const { code, output } = await runCommand(program, words)
    if (code === 0) return
    if (Date.now() > end) throw new Error(output.trim())
  }
}

async function untilAnswers(address: string, namespace: string, over: () => string | null): Promise<void> {
  for (const end = Date.now() + START_MS; !(await temporalAnswers(address, namespace)); await pause(200)) {
    const log = over()
    if (log !== null)
      throw new Error(`Temporal's server did not start: ${log.trimEnd().split('\n').slice(-3).join('\n')}`)
    if (Date.now() > end) throw new Error(`Temporal's server has no namespace ${namespace}`)
  }
}

async function succeed(program: string, words: string[], env?: NodeJS.ProcessEnv): Promise<void> {
  const { code, output } = await runCommand(program, words, { ...(env && { env }) })
  if (code !== 0) throw new Error(`${words.join(' ')} failed: ${output.trim().split('\n').slice(-3).join('\n')}`)
}

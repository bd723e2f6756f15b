import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { SEARCH_ATTRIBUTES } from '../../workflows/contract.ts'
import { stopProcess } from '../processes.ts'
import type { TemporalCli } from './cli.ts'
import { temporalAnswers } from './probe.ts'

export interface TemporalServerOptions {
  cli: TemporalCli
  port: number
  /** null = no UI. */
  uiPort: number | null
  /** Holds the database file; null = in memory. */
  folder: string | null
  logFile: string
  /** The first one is awaited. */
  namespaces?: readonly string[]
  /** Of its own metrics; absent = none. */
  metricsPort?: number
  /** Timers under a second are exact, for tests. */
  exactTimers?: boolean
  /** Called at once, before it responds. */
  onStart?: (pid: number) => void
}

export interface TemporalServer {
  address: string
  uiUrl: string | null
  pid: number
  /** Resolves when the server's process has ended, for any reason. */
  ended: Promise<void>
  stop(): Promise<void>
}

const START_MS = 30_000

/**
 * Starts a dev server on 127.0.0.1 and waits until it answers. It survives this process: who starts it stops it.
 * @throws an Error with the end of its log when it ends or doesn't answer within 30 s
 */
export async function startTemporalServer(options: TemporalServerOptions): Promise<TemporalServer> {
  const namespaces = options.namespaces ?? ['default']
  const address = `127.0.0.1:${options.port}`
  mkdirSync(dirname(options.logFile), { recursive: true })
  if (options.folder) prepareDatabase(options.folder, options.cli)
  const log = openSync(options.logFile, 'a')
  const child = spawn(options.cli.path, serverArguments(options, namespaces), {
    stdio: ['ignore', log, log],
    detached: true,
  })
  closeSync(log)
  if (child.pid) options.onStart?.(child.pid)
  let over = false
  const ended = new Promise<void>((resolve) => {
    child.on('exit', () => resolve())
    child.on('error', () => resolve())
  }).then(() => {
    over = true
  })
  // The port alone proves nothing: another server may hold it after this child failed.
  for (const end = Date.now() + START_MS; !(await answersForAll(address, namespaces)); await pause(50)) {
    if (over) throw new Error(`The Temporal server did not start: ${lastLines(options.logFile)}`)
    if (Date.now() > end) {
      if (child.pid) await stopProcess(child.pid, 2_000)
      throw new Error(`The Temporal server did not answer within ${START_MS / 1000} s: ${lastLines(options.logFile)}`)
    }
  }
  child.unref()
  const pid = child.pid as number
  const uiUrl = options.uiPort === null ? null : `http://127.0.0.1:${options.uiPort}`
  return { address, uiUrl, pid, ended, stop: () => stopProcess(pid, 5_000) }
}

async function answersForAll(address: string, namespaces: readonly string[]): Promise<boolean> {
  for (const namespace of namespaces) if (!(await temporalAnswers(address, namespace))) return false
  return true
}

function serverArguments(options: TemporalServerOptions, namespaces: readonly string[]): string[] {
  const dynamic = ['matching.useNewMatcher=true', 'matching.enableFairness=true']
  if (options.exactTimers) dynamic.push('history.timerProcessorMaxTimeShift="10ms"')
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(options.port), '--log-level', 'warn'],
    ...(options.uiPort === null ? ['--headless'] : ['--ui-port', String(options.uiPort)]),
    ...(options.metricsPort ? ['--metrics-port', String(options.metricsPort)] : []),
    ...namespaces.flatMap((name) => ['--namespace', name]),
    // Without these two pragmas the file is five times slower.
    ...(options.folder
      ? ['--db-filename', databaseFile(options.folder)].concat(
          ...['journal_mode=wal', 'synchronous=normal'].map((pragma) => ['--sqlite-pragma', pragma]),
        )
      : []),
    ...Object.values(SEARCH_ATTRIBUTES).flatMap((key) => ['--search-attribute', `${key.name}=${typeName(key.type)}`]),
    ...dynamic.flatMap((setting) => ['--dynamic-config-value', setting]),
  ]
}

/** The SDK upper-cases its type names; the server expects them capitalised. */
function typeName(type: string): string {
  const names: Record<string, string> = { KEYWORD: 'Keyword', DATETIME: 'Datetime', INT: 'Int', TEXT: 'Text' }
  return names[type] ?? type
}

export const databaseFile = (folder: string) => join(folder, 'temporal.db')

/**
 * The file's schema is made only when the file is new, so another CLI begins with an empty one. Nothing is lost: what
 * runs on Temporal is rebuilt from Postgres.
 */
function prepareDatabase(folder: string, cli: TemporalCli): void {
  mkdirSync(folder, { recursive: true })
  const stamp = join(folder, 'cli-version')
  const before = existsSync(stamp) ? readFileSync(stamp, 'utf8') : null
  if (before !== cli.version) wipeDatabase(folder)
  writeFileSync(stamp, cli.version)
}

/** Removes all data of the server. It must not be running. */
export function wipeDatabase(folder: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(databaseFile(folder) + suffix, { force: true })
}

function lastLines(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').slice(-3).join('\n') : ''
}

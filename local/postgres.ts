import { chownSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dataRoot, postgresOwner, postgresPrograms } from './postgres-files.ts'
import { type CommandResult, runCommand } from './run-command.ts'

export interface PostgresOptions {
  /** Holds data, log and, when needed, a copy of the programs. Created on the first start. */
  folder: string
  port: number
  /** Password of the superuser `postgres`; set by the first start. */
  password: string
  /** false for tests: no fsync, so a power failure may lose data. */
  durable?: boolean
  maxConnections?: number
  /** Further settings of the server, for tests. */
  settings?: Record<string, string>
  /** Called when no server runs on the folder yet; the place to check the port. */
  beforeStart?: () => Promise<void>
}

export interface PostgresServer {
  url: string
  pid: number
  /** true when it was already running. */
  adopted: boolean
  /** Open transactions are rolled back, committed ones are safe. */
  stop(): Promise<void>
}

const MAJOR = '18'

/**
 * Starts the embedded Postgres on 127.0.0.1, or adopts the one that already runs on this folder. It survives this
 * process: who starts it stops it.
 * @throws an Error with the end of Postgres' log when it doesn't start
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const owner = postgresOwner()
  const root = dataRoot(options.folder, owner)
  const programs = await postgresPrograms(root, owner)
  const data = join(root, 'data')
  const log = join(root, 'postgres.log')
  const durable = options.durable ?? true
  const run = (program: string, args: string[]): Promise<CommandResult> =>
    runCommand(join(programs, program), args, {
      cwd: root,
      env: { ...withoutPostgresVariables(process.env), LC_ALL: 'C', TZ: 'UTC' },
      timeoutMs: 60_000,
      ...owner,
    })

  if (!existsSync(data)) await initialise(run, root, options.password, durable)
  const version = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim()
  if (version !== MAJOR)
    throw new Error(
      `${options.folder} was made by Postgres ${version}, this is ${MAJOR}: move the folder away to start anew`,
    )

  let adopted = false
  const stop = async () => {
    await run('pg_ctl', ['-D', data, '-m', 'fast', '-w', '-t', '8', 'stop'])
  }
  if ((await run('pg_ctl', ['-D', data, 'status'])).code === 0) {
    adopted = runningPort(data) === options.port
    if (!adopted) await stop()
  }
  if (!adopted) {
    await options.beforeStart?.()
    const settings = {
      listen_addresses: '127.0.0.1',
      port: options.port,
      // TCP only, because socket paths are limited to about 107 bytes.
      unix_socket_directories: '',
      max_connections: options.maxConnections ?? 100,
      ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
      ...options.settings,
    }
    const flags = Object.entries(settings).map(([name, value]) => `-c ${name}=${value === '' ? "''" : value}`)
    const started = await run('pg_ctl', ['-D', data, '-w', '-l', log, '-o', flags.join(' '), 'start'])
    if (started.code !== 0) throw new Error(`Postgres did not start: ${lastLines(log) || started.output}`)
  }
  const url = `postgres://postgres:${encodeURIComponent(options.password)}@127.0.0.1:${options.port}/postgres`
  return { url, pid: runningPid(data), adopted, stop }
}

async function initialise(
  run: (program: string, args: string[]) => Promise<CommandResult>,
  root: string,
  password: string,
  durable: boolean,
): Promise<void> {
  const passwordFile = join(root, 'password')
  const fresh = join(root, 'data.partial')
  rmSync(fresh, { recursive: true, force: true })
  // In a folder that is readable for initdb's user, and deleted right after.
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
  const owner = postgresOwner()
  if (owner) chownSync(passwordFile, owner.uid, owner.gid)
  try {
    const flags = ['-E', 'UTF8', '--locale=C', '-U', 'postgres', '-A', 'scram-sha-256', '--pwfile', passwordFile]
    const made = await run('initdb', ['-D', fresh, ...flags, ...(durable ? [] : ['-N'])])
    if (made.code !== 0) throw new Error(`Postgres' initdb failed: ${made.output.trim()}`)
    // Renamed, so that a start killed half-way leaves nothing that looks complete.
    renameSync(fresh, join(root, 'data'))
  } finally {
    rmSync(passwordFile, { force: true })
  }
}

/** Variables of the user's own Postgres, such as PGDATA and PGPORT, are removed. */
function withoutPostgresVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('PG')))
}

/** postmaster.pid: line 1 is the process id, line 4 the port. */
const pidFile = (data: string) => readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
const runningPid = (data: string) => Number(pidFile(data)[0])
const runningPort = (data: string) => Number(pidFile(data)[3])

function lastLines(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').slice(-5).join('\n') : ''
}

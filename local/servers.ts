import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { requireFree } from '../process/ports.ts'
import { isReady } from './adoption.ts'
import type { LocalConfig } from './config.ts'
import { type DataFolder, forgetRunning, newPassword, noteRunning, stillRunning } from './data-folder.ts'
import { startPostgres } from './postgres.ts'
import { isAlive, stopProcess } from './processes.ts'
import type { Say } from './service.ts'
import { ensureTemporalCli, type Progress } from './temporal/fetch.ts'
import { temporalAnswers } from './temporal/probe.ts'
import { startTemporalServer } from './temporal/server.ts'

/** A database or a Temporal server: started here, or named by the environment. */
export interface Backing {
  /** Postgres: URL with database; Temporal: host:port. */
  address: string
  /** Postgres URL with the role of api and worker; the owner's is for migrations only. */
  appAddress?: string | undefined
  uiUrl: string | null
  /** null when it was not started here. */
  pid(): number | null
  stop(): Promise<void>
}

const WATCH_MS = 1_000
const foreign = (address: string): Backing => ({ address, uiUrl: null, pid: () => null, stop: async () => undefined })

/** Of Postgres with the role of api and worker, and of Temporal: known before the servers run. */
export function serverAddresses(config: LocalConfig, folder: DataFolder) {
  const password = folder.secret('postgres-app-password', newPassword)
  const own = `postgres://recoup_app:${password}@127.0.0.1:${config.RECOUP_POSTGRES_PORT}/postgres`
  return {
    databaseUrl: config.DATABASE_URL ? (config.RECOUP_APP_DATABASE_URL ?? config.DATABASE_URL) : own,
    temporalAddress: config.TEMPORAL_ADDRESS ?? `127.0.0.1:${config.RECOUP_TEMPORAL_PORT}`,
  }
}

/** Whether Postgres is still to be made: nobody can connect before it is migrated. */
export const isNewPostgres = (config: LocalConfig, folder: DataFolder): boolean =>
  !config.DATABASE_URL && !existsSync(join(folder.postgres, 'data'))

/** Starts or adopts Postgres in the data folder, unless DATABASE_URL is set, and restarts it when it ends. */
export async function providePostgres(
  config: LocalConfig,
  folder: DataFolder,
  say: Say,
  onChange: () => void,
): Promise<Backing> {
  if (config.DATABASE_URL) return { ...foreign(config.DATABASE_URL), appAddress: config.RECOUP_APP_DATABASE_URL }
  const port = config.RECOUP_POSTGRES_PORT
  const options = {
    folder: folder.postgres,
    port,
    password: folder.secret('postgres-password', newPassword),
    beforeStart: () => requireFree(port, 'RECOUP_POSTGRES_PORT', 'Postgres'),
  }
  const start = async () => {
    const server = await startPostgres(options)
    noteRunning(folder, 'postgres', server.pid, String(port))
    if (server.adopted) say(`Adopted Postgres (process ${server.pid})`)
    return server
  }
  let server = await start()
  const keeper = keepUp(
    'Postgres',
    () => server.pid,
    say,
    async () => {
      server = await start()
      onChange()
    },
  )
  return {
    address: server.url,
    appAddress: serverAddresses(config, folder).databaseUrl,
    uiUrl: null,
    pid: () => server.pid,
    stop: async () => {
      await keeper.stop()
      await server.stop()
      forgetRunning(folder, 'postgres')
    },
  }
}

/** The same for Temporal and TEMPORAL_ADDRESS. A missing CLI is downloaded or built first. */
export async function provideTemporal(
  config: LocalConfig,
  folder: DataFolder,
  say: Say,
  progress: Progress,
  onChange: () => void,
): Promise<Backing> {
  const namespace = config.TEMPORAL_NAMESPACE
  if (config.TEMPORAL_ADDRESS) {
    if (!(await temporalAnswers(config.TEMPORAL_ADDRESS, namespace, 5_000)))
      say(`Temporal does not answer at TEMPORAL_ADDRESS with namespace ${namespace} yet: work waits until it does`)
    return foreign(config.TEMPORAL_ADDRESS)
  }
  const [port, uiPort] = [config.RECOUP_TEMPORAL_PORT, config.RECOUP_TEMPORAL_UI_PORT]
  const address = serverAddresses(config, folder).temporalAddress
  const digest = `${port} ${uiPort} ${namespace}`
  const start = async () => {
    await requireFree(port, 'RECOUP_TEMPORAL_PORT', 'Temporal')
    await requireFree(uiPort, 'RECOUP_TEMPORAL_UI_PORT', "Temporal's UI")
    const cli = await ensureTemporalCli(progress)
    const logFile = folder.log('temporal')
    const server = await startTemporalServer({
      ...{ cli, port, uiPort, logFile, folder: folder.temporal },
      namespaces: [namespace],
      onStart: (pid) => noteRunning(folder, 'temporal', pid, digest),
    })
    return server.pid
  }
  const left = stillRunning(folder, 'temporal')
  const answers = () => temporalAnswers(address, namespace)
  const adopt = left?.digest === digest && (await isReady(left.pid, answers))
  if (left && adopt) say(`Adopted Temporal (process ${left.pid})`)
  if (left && !adopt) await stopProcess(left.pid, 3_000)
  let pid = left && adopt ? left.pid : await start()
  const keeper = keepUp(
    'Temporal',
    () => pid,
    say,
    async () => {
      pid = await start()
      onChange()
    },
  )
  return {
    address,
    uiUrl: `http://127.0.0.1:${uiPort}`,
    pid: () => pid,
    stop: async () => {
      await keeper.stop()
      await stopProcess(pid, 3_000)
      forgetRunning(folder, 'temporal')
    },
  }
}

/** Checks every second whether the process runs, and restarts it otherwise. */
function keepUp(name: string, pid: () => number, say: Say, start: () => Promise<void>): { stop(): Promise<void> } {
  const ending = new AbortController()
  const loop = (async () => {
    while (!ending.signal.aborted) {
      await pause(WATCH_MS, undefined, { signal: ending.signal }).catch(() => undefined)
      if (ending.signal.aborted || isAlive(pid())) continue
      say(`${name} ended; it starts again`)
      await start().catch((error: Error) => say(error.message))
    }
  })()
  return {
    stop: async () => {
      ending.abort()
      await loop
    },
  }
}

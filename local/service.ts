import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { requireFree } from '../process/ports.ts'
import { isReady } from './adoption.ts'
import { type DataFolder, forgetRunning, noteRunning, stillRunning } from './data-folder.ts'
import { isAlive, stopProcess } from './processes.ts'
import { projectFolder } from './run-script.ts'

export type Say = (sentence: string) => void

/** A process of Recoup: API, worker, simulators. */
export interface ServiceDefinition {
  name: string
  /** Command line for Node: options, then the script. */
  args: string[]
  env: Record<string, string>
  ports: { port: number; variable: string }[]
  /** URL that responds 200 once the service is ready. */
  readyUrl: string
}

export interface Service {
  name: string
  pid(): number | null
  /** Resolves when it responds. @throws when it does not within 60 s */
  ready(): Promise<void>
  stop(graceMs: number): Promise<void>
}

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 15_000
/** A process that ran this long does not fail because of its start. */
const SETTLED_MS = 30_000
const READY_MS = 60_000

/**
 * Starts the service, or adopts the process that an earlier start left running with the same settings and code, and starts
 * it again whenever it ends. It writes to its own log file, so it survives this process.
 */
export async function startService(
  folder: DataFolder,
  definition: ServiceDefinition,
  say: Say,
  onChange: () => void,
): Promise<Service> {
  const { name } = definition
  // With the folder of the compiled code, which is another one for other code.
  const digest = createHash('sha256').update(JSON.stringify(definition)).digest('hex')
  let current: number | null = null
  let stopping = false
  let wake: () => void = () => undefined

  const launch = () => {
    const log = openSync(folder.log(name), 'a')
    const child = spawn(process.execPath, definition.args, {
      cwd: projectFolder,
      env: { ...process.env, ...definition.env },
      stdio: ['ignore', log, log],
      // Ctrl-C is handled by the supervisor, which stops the services in order.
      detached: true,
    })
    closeSync(log)
    child.unref()
    current = child.pid ?? null
    if (current) noteRunning(folder, name, current, digest)
    return new Promise<string>((resolve) => {
      child.on('exit', (code, signal) => resolve(signal ?? `code ${code}`))
      child.on('error', (error) => resolve(error.message))
    })
  }

  /** An adopted process is no child: its exit must be polled. */
  const watch = async (pid: number) => {
    while (isAlive(pid)) await pause(500)
    return 'adopted from an earlier start'
  }

  const supervise = async (first: Promise<string>) => {
    let ended = first
    let wait = FIRST_PAUSE_MS
    for (let since = Date.now(); ; since = Date.now()) {
      const reason = await ended
      if (stopping) return
      wait = Date.now() - since > SETTLED_MS ? FIRST_PAUSE_MS : Math.min(wait * 2, LONGEST_PAUSE_MS)
      current = null
      say(`${name} ended (${reason}) and starts again in ${wait / 1_000} s; log: ${folder.log(name)}`)
      await Promise.race([
        pause(wait),
        new Promise<void>((resolve) => {
          wake = resolve
        }),
      ])
      if (stopping) return
      ended = launch()
      onChange()
    }
  }

  const left = stillRunning(folder, name)
  let over: Promise<string>
  if (left && left.digest === digest && (await isReady(left.pid, () => responds(definition.readyUrl)))) {
    current = left.pid
    over = watch(left.pid)
    say(`Adopted ${name} (process ${left.pid})`)
  } else {
    if (left) await stopProcess(left.pid, 3_000)
    for (const { port, variable } of definition.ports)
      await requireFree(port, variable, name === 'api' ? 'the API' : `the ${name}`)
    over = launch()
  }
  const supervised = supervise(over)

  return {
    name,
    pid: () => current,
    async ready() {
      for (const end = Date.now() + READY_MS; !(await responds(definition.readyUrl)); await pause(50))
        if (Date.now() > end || stopping)
          throw new Error(`${name} does not respond at ${definition.readyUrl}; log: ${folder.log(name)}`)
    },
    async stop(graceMs) {
      stopping = true
      wake()
      if (current) await stopProcess(current, graceMs)
      await supervised
      forgetRunning(folder, name)
    },
  }
}

async function responds(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}

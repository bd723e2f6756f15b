import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { JobName, Jobs, Order, ProcessPurpose, Reply } from './jobs.ts'
import type { KillReason } from './refusals.ts'

/** Limits of one job. */
export interface JobLimits {
  /** Processor time, milliseconds. Ends an expensive job, however busy the machine is. */
  cpuMs: number
  /** Wall-clock time, milliseconds. */
  wallMs: number
}

const MB = 1024 * 1024
/**
 * Resident bytes of the whole process, including 130 MB of libraries. `--max-old-space-size` alone would not limit
 * memory outside V8's heap: inflated streams, pixels, ArrayBuffers, WASM. A process that still uses `retired` after a
 * job is replaced. The renderer grows by 1 MB with each document, because Typst keeps what it laid out.
 */
const RSS: Readonly<Record<ProcessPurpose, { most: number; retired: number }>> = {
  read: { most: 512 * MB, retired: 256 * MB },
  render: { most: 768 * MB, retired: 512 * MB },
}
const HEAP_MB = 384
const START_MS = 60_000
/** Added to the parent's: a third of its weight when processors are scarce. */
const NICE = 5

const entry = fileURLToPath(new URL('./start.mjs', import.meta.url))

export interface FileProcess {
  pid: number | undefined
  /** False once it has exited. */
  isAlive(): boolean
  run<Name extends JobName>(job: Name, input: Jobs[Name]['input'], limits: JobLimits): Promise<JobEnd<Name>>
  kill(): void
}

export type JobEnd<Name extends JobName> =
  | { result: Jobs[Name]['result']; retired: boolean }
  | { failed: string; retired: boolean }
  | { killed: KillReason }

/** Starts a process without secrets: no environment, no output, and only the channel is inherited. */
export async function startFileProcess(purpose: ProcessPurpose = 'read'): Promise<FileProcess> {
  const { most, retired } = RSS[purpose]
  const child = fork(entry, [String(most), purpose], {
    execArgv: [`--max-old-space-size=${HEAP_MB}`],
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  // Without a listener an error of the channel would end the parent process.
  child.on('error', () => {})
  await ready(child)
  keepAlive(child, false)
  giveWay(child)
  return {
    pid: child.pid,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    run: (job, input, limits) =>
      run(child, { job, input, cpuMs: limits.cpuMs }, { wallMs: limits.wallMs, retired }) as never,
    kill: () => void child.kill('SIGKILL'),
  }
}

async function ready(child: ChildProcess): Promise<void> {
  const late = AbortSignal.timeout(START_MS)
  const ended = once(child, 'exit', { signal: late }).then(() => {
    throw new Error('the file process ended before it was ready')
  })
  ended.catch(() => {})
  try {
    await Promise.race([once(child, 'message', { signal: late }), ended])
  } catch (error) {
    child.kill('SIGKILL')
    throw new Error('the file process did not start', { cause: error })
  }
}

/** The parent's event loop takes precedence. */
function giveWay({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, Math.min(19, getPriority() + NICE))
  } catch {
    // It has exited, or the system forbids it: only speed is affected.
  }
}

/** An idle process must not keep the parent from exiting. */
function keepAlive(child: ChildProcess, alive: boolean): void {
  if (alive) child.ref()
  else child.unref()
  const channel = child.channel as { ref(): void; unref(): void } | null | undefined
  if (alive) channel?.ref()
  else channel?.unref()
}

function run(
  child: ChildProcess,
  order: Order,
  { wallMs, retired }: { wallMs: number; retired: number },
): Promise<JobEnd<JobName>> {
  return new Promise((resolve) => {
    let late: 'time' | 'starved' | null = null
    const before = processorMs(child)
    const timer = setTimeout(() => {
      const used = processorMs(child)
      const wasRun = before === null || used === null || used - before >= order.cpuMs / 2
      late = wasRun ? 'time' : 'starved'
      child.kill('SIGKILL')
    }, wallMs)
    const end = (outcome: JobEnd<JobName>) => {
      clearTimeout(timer)
      child.off('message', onMessage)
      child.off('exit', onExit)
      keepAlive(child, false)
      resolve(outcome)
    }
    const onMessage = ({ rss, ...reply }: Reply) => end({ ...reply, retired: rss > retired })
    const onExit = (code: number | null, signal: string | null) => end({ killed: late ?? reasonOf(code, signal) })
    child.on('message', onMessage)
    child.on('exit', onExit)
    keepAlive(child, true)
    child.send(order, () => {})
  })
}

/**
 * Processor time of the process since its start, in milliseconds, in steps of 10; null where the system has no /proc
 * (proc(5): fields 14 and 15 of `stat`, in ticks of 10 ms).
 */
function processorMs({ pid }: ChildProcess): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name before may hold spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return null
  }
}

/** watch.mjs sends SIGKILL and SIGVTALRM; a system without memory sends SIGKILL; V8 aborts when its heap is full. */
function reasonOf(code: number | null, signal: string | null): KillReason {
  if (signal === 'SIGVTALRM') return 'cpu'
  if (signal === 'SIGKILL' || signal === 'SIGABRT' || signal === 'SIGTRAP' || code === 134) return 'memory'
  return 'crash'
}

import { createHash } from 'node:crypto'
import { createFairSlots } from './fair-slots.ts'
import { type FileProcess, type JobLimits, startFileProcess } from './file-process.ts'
import type { JobName, Jobs, ProcessPurpose } from './jobs.ts'
import { createKillCounts } from './kill-counts.ts'
import { FileFailed, FileKilled } from './refusals.ts'

export interface FileJob<Name extends JobName> {
  job: Name
  /** Account of the file: one account uses at most half of the processes. */
  account: string
  input: Jobs[Name]['input']
}

/** Reads and converts untrusted files, each in a process that can be killed. Decision 0018. */
export interface FileProcesses {
  /** One job of a file at a time. @throws FileKilled, FileFailed, NoSlot */
  run<Name extends JobName>(asked: FileJob<Name>): Promise<Jobs[Name]['result']>
  /** Starts a process for an expected job, unless one is idle. */
  prepare(): void
}

export interface FileProcessOptions extends JobLimits {
  /** Concurrent jobs. */
  processes: number
  /** Milliseconds that a job waits for a slot. */
  waitMs: number
  /** `read` by default. */
  purpose?: ProcessPurpose
  /** Keeps one process idle, for jobs that can't wait for a start. */
  spare?: boolean
  log: { warn(fields: object, message: string): void }
}

/** Queue length per account. */
const WAITING = 8
/** An idle process is ended after this time: it takes 140 MB, a start takes 1 s of processor time. */
const IDLE_MS = 60_000

/** Processes are started on demand. */
export function createFileProcesses(options: FileProcessOptions): FileProcesses & AsyncDisposable {
  const { processes, waitMs, spare = false, purpose, log } = options
  const slots = createFairSlots({ slots: processes, waiting: WAITING, waitMs })
  const kills = createKillCounts()
  /** Jobs by SHA-256 of their file. */
  const running = new Map<string, Promise<unknown>>()
  const all = new Set<FileProcess>()
  let prepared: Promise<FileProcess> | undefined
  const idle: { process: FileProcess; timer: NodeJS.Timeout }[] = []

  async function start(): Promise<FileProcess> {
    const process = await startFileProcess(purpose)
    all.add(process)
    return process
  }

  async function obtain(): Promise<FileProcess> {
    for (let rested = idle.pop(); rested; rested = idle.pop()) {
      clearTimeout(rested.timer)
      if (rested.process.isAlive()) return rested.process
      all.delete(rested.process)
    }
    const soon = prepared
    prepared = undefined
    return soon ?? start()
  }

  function end(process: FileProcess): void {
    all.delete(process)
    process.kill()
  }

  function rest(process: FileProcess): void {
    const timer = setTimeout(() => {
      if (spare && all.size === 1 && process.isAlive()) return void timer.refresh()
      idle.splice(
        idle.findIndex((one) => one.process === process),
        1,
      )
      end(process)
    }, IDLE_MS)
    timer.unref()
    idle.push({ process, timer })
  }

  function prepare(): void {
    if (prepared || idle.length > 0 || all.size >= processes) return
    const starting = start()
    prepared = starting
    const release = (process?: FileProcess) => {
      if (prepared !== starting) return
      prepared = undefined
      if (process) rest(process)
    }
    starting.then(release, () => release())
  }

  async function perform<Name extends JobName>(
    hash: string,
    { job, input }: FileJob<Name>,
  ): Promise<Jobs[Name]['result']> {
    const process = await obtain()
    const outcome = await process.run(job, input, options)
    if ('killed' in outcome) {
      end(process)
      if (spare) prepare()
      const reason = outcome.killed
      const { count, final } = kills.add(hash, reason)
      log.warn({ reason, attempts: count, pid: process.pid }, 'file process killed')
      throw new FileKilled(reason, final)
    }
    // A library that failed may be unusable for the next file.
    if (outcome.retired || 'failed' in outcome) end(process)
    else rest(process)
    if ('failed' in outcome) throw new FileFailed(job, outcome.failed)
    return outcome.result
  }

  return {
    async run(asked) {
      const { account, input } = asked
      const hash = createHash('sha256').update(input.content).digest('hex')
      const refuseKnown = () => {
        if (kills.isRefused(hash)) throw new FileKilled('memory', true)
      }
      refuseKnown()
      using _slot = await slots.take(account)
      // A retry can begin while the process of an attempt that timed out still runs: it waits, so that kills are counted
      // before the next process of the same file.
      for (let earlier = running.get(hash); earlier; earlier = running.get(hash)) await earlier.catch(() => {})
      refuseKnown()
      const job = perform(hash, asked)
      running.set(hash, job)
      try {
        return await job
      } finally {
        running.delete(hash)
      }
    },
    prepare,
    async [Symbol.asyncDispose]() {
      for (const { timer } of idle) clearTimeout(timer)
      for (const process of all) process.kill()
    },
  }
}

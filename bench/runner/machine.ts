import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { projectFolder } from '../../local/run-script.ts'
import { clusterTicks, statOf } from './clocks.ts'

/** Cores that other processes may use at the start of a pair. */
export const QUIET = 0.5
const SAMPLE_MS = 400

/** Where it ran, on which version of what, from which commit. */
export function describeMachine(): Record<string, unknown> {
  const [first, ...others] = cpus()
  return {
    machine: `${1 + others.length} × ${first?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    node: process.version,
    commit: commit(),
    date: new Date().toISOString().slice(0, 10),
  }
}

/** Load average of the last minute. */
export const loadNow = (): number => Number((loadavg()[0] ?? 0).toFixed(2))

/**
 * Cores that processes other than the benchmark's use at the moment; null where /proc can't tell. The benchmark's are
 * this process, what descends from it, and the Postgres cluster of `postmaster`.
 */
export async function strangersLoad(postmaster: number | null): Promise<number | null> {
  if (process.platform !== 'linux') return null
  const before = ticks(postmaster)
  await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS))
  const after = ticks(postmaster)
  const [all, own] = [after.all - before.all, after.own - before.own]
  return Math.max(0, ((all - own) * 10) / (after.at - before.at))
}

function ticks(postmaster: number | null): { all: number; own: number; at: number } {
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] =
    readFileSync('/proc/stat', 'utf8').split('\n')[0]?.split(/\s+/).map(Number) ?? []
  const processes = new Map<number, { parent: number; ticks: number }>()
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statOf(name) : null
    if (!stat) continue
    const [parent = 0, ...times] = stat
    // Includes children that have ended: without them, a browser that ends between two readings would count as a stranger.
    processes.set(Number(name), { parent, ticks: times.reduce((sum, time) => sum + time, 0) })
  }
  const isOwn = (pid: number): boolean => {
    if (pid === process.pid) return true
    const parent = processes.get(pid)?.parent
    return parent !== undefined && parent > 1 && isOwn(parent)
  }
  const descendants = [...processes].filter(([pid]) => isOwn(pid)).reduce((sum, [, one]) => sum + one.ticks, 0)
  const cluster = postmaster === null ? 0 : (clusterTicks(postmaster) ?? 0)
  return { all: user + nice + system + irq + softirq, own: descendants + cluster, at: performance.now() }
}

/** All files except those that `--write` changes: results are not part of what is measured. */
const MEASURED_FILES = ['.', ':!bench/results.jsonl', ':!docs/benchmarks.md']

function commit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: projectFolder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    const changed =
      git('status', '--porcelain', '--untracked-files=no', '--', ...MEASURED_FILES) === '' ? '' : ' with changes'
    return git('rev-parse', '--short=12', 'HEAD') + changed
  } catch {
    return 'unknown'
  }
}

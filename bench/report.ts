import { execFileSync } from 'node:child_process'
import { cpus, loadavg, totalmem } from 'node:os'
import { projectFolder } from '../local/run-script.ts'

/** Load of other processes above which figures are unreliable. */
const QUIET = 0.5

export interface Metric {
  name: string
  unit: string
  /** One value per round. */
  values: number[]
  [fact: string]: unknown
}

/** One line of JSON on standard output. */
export function printLine(line: Record<string, unknown>): void {
  console.log(JSON.stringify(line))
}

/** A metric as one line: `ours` is the median over the rounds. */
export function printMetric({ name, unit, values, ...facts }: Metric): void {
  const [min = 0, max = 0] = [Math.min(...values), Math.max(...values)]
  const rounded = { ours: rounded3(median(values)), min: rounded3(min), max: rounded3(max) }
  printLine({ name, unit, ...rounded, rounds: values.length, ...facts })
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
}

/** Enough digits for any ratio, but few enough to read. */
const rounded3 = (value: number) => Number(value.toPrecision(4))

/** Machine, versions and commit of the run. */
export function describeMachine(): Record<string, unknown> {
  const [first, ...others] = cpus()
  return {
    machine: `${1 + others.length} × ${first?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    node: process.version,
    commit: commit(),
  }
}

/** Load average of the last minute; warns on standard error when other processes are busy. */
export function loadNow(when: string): number {
  const load = Number((loadavg()[0] ?? 0).toFixed(2))
  if (when === 'before' && load > QUIET)
    console.error(`LOUD MACHINE: load ${load} before the start; compare nothing with figures of a run above ${QUIET}`)
  return load
}

function commit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: projectFolder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    const changed = git('status', '--porcelain', '--untracked-files=no') === '' ? '' : ' with changes'
    return git('rev-parse', '--short=12', 'HEAD') + changed
  } catch {
    return 'unknown'
  }
}

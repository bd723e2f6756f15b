import { ownAndChildrenCpuMs } from './clocks.ts'
import { loadNow } from './machine.ts'
import { type Line, type Metric, type RunLine, toLine } from './metric.ts'
import { interleave, type Rounds } from './pairs.ts'

export interface Settings {
  /** Smaller data, fewer pairs, and none that is not counted: shows that everything runs, and how the counters stand. */
  quick: boolean
  /** Count pairs that began while others used the machine. */
  loud: boolean
  pairs: number
  /** Name of a PSP. */
  source: string
  /** Disputes; null = what the benchmark's data has. */
  count: number | null
  /** Peers to run; null = all. */
  peers: readonly string[] | null
}

export interface Benchmark {
  name: string
  /** A sentence for --help. */
  about: string
  /** Loads its file, and only that: all of them would take seconds of processor time. */
  load(): Promise<{ run(context: Context): Promise<void> }>
}

/** What a benchmark is given: its settings, and where its figures go. */
export interface Context extends Settings {
  /** The benchmark's. */
  name: string
  /** Rows of gates.json that it decides. */
  rows: readonly string[]
  /** `--count`, or one of the two sizes. */
  size(full: number, quick: number): number
  metric(metric: Metric, loudPairs?: number): void
  /** Leaves rows of gates.json unproven, loudly. */
  skip(name: string, rows: readonly string[], reason: string): void
  /** Facts for the line of the run. */
  fact(facts: Record<string, unknown>): void
  say(text: string): void
  pairsOf<Side extends string, Result>(
    sides: Record<Side, () => Promise<Result>>,
    postmaster: number | null,
  ): Promise<Rounds<Side, Result>>
}

/** Runs one benchmark. @returns its lines, the run's own first */
export async function runBenchmark(
  benchmark: Benchmark,
  settings: Settings,
  machine: Record<string, unknown>,
  rows: readonly string[],
): Promise<{ lines: Line[]; error: Error | null }> {
  const lines: Line[] = []
  const facts: Record<string, unknown> = {}
  const { name } = benchmark
  const say = (text: string) => console.error(`${name}: ${text}`)
  const loadBefore = loadNow()
  const began = { ms: performance.now(), cpuMs: ownAndChildrenCpuMs() }
  const context: Context = {
    ...settings,
    name,
    rows,
    size: (full, quick) => settings.count ?? (settings.quick ? quick : full),
    metric: (metric, loudPairs = 0) => void lines.push(toLine(metric, loudPairs)),
    skip(what, rows, reason) {
      console.error(`SKIPPED ${what}: ${reason}. Unproven: ${rows.join(', ')}`)
      lines.push({ name: what, skipped: reason, rows: [...rows] })
    },
    fact: (more) => void Object.assign(facts, more),
    say,
    pairsOf: (sides, postmaster) =>
      interleave(sides, { pairs: settings.pairs, warmUp: !settings.quick, loud: settings.loud, postmaster, say }),
  }
  let error: Error | null = null
  try {
    const { run } = await benchmark.load()
    await run(context)
  } catch (thrown) {
    error = thrown as Error
  }
  const run: RunLine = {
    ...{ name: `${name}.run`, quick: settings.quick, ...machine, ...facts },
    ...{ load_before: loadBefore, load_after: loadNow() },
    seconds: Math.round((performance.now() - began.ms) / 1000),
    cpu_seconds: Math.round((ownAndChildrenCpuMs() - began.cpuMs) / 1000),
  }
  return { lines: [run, ...lines], error }
}

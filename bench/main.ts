import { sources } from '../adapters/registry.ts'
import { BENCHMARKS } from './benchmarks.ts'
import { PEERS } from './peers/index.ts'
import { type Command, readCommand, UsageError } from './runner/command.ts'
import { runBenchmark } from './runner/context.ts'
import { type Gate, gateValue, judge, readGates } from './runner/gates.ts'
import { describeMachine } from './runner/machine.ts'
import type { Line } from './runner/metric.ts'
import { keepResults } from './runner/results.ts'

const HELP = `npm run bench -- <name … | all> [options]: one line of JSON per figure on standard output, progress on standard error

${BENCHMARKS.map(({ name, about }) => `  ${name.padEnd(12)}${about}`).join('\n')}

  --quick              small data, 1 pair and none before it, also on a loud machine: shows that everything runs
  --loud               count pairs that begin while other processes use the machine; their wall time proves nothing
  --pairs <pairs>      default 7, after one that is not counted
  --write              keep the results, and write docs/benchmarks.md from them
  --count <disputes>   in place of the benchmark's own number; gates are not judged then
  --peer <${PEERS.map(({ key }) => key).join('|')}|none>
                       only this one; may be given again
  --source <${sources().join('|')}>
                       ingest only

Exit codes: 0 no gate was missed, 1 one was or a benchmark failed, 2 the command line is wrong. DATABASE_URL names a
Postgres whose user may create databases; without it one is started for the run. docs/benchmarks.md says the rest.`

// The default handlers end the process at once; the processes that it started notice and stop.
process.exitCode = await main(process.argv.slice(2))

async function main(words: string[]): Promise<number> {
  if (words.length === 0 || words.some((word) => ['--help', '-h', 'help'].includes(word))) {
    console.log(HELP)
    return words.length === 0 ? 2 : 0
  }
  try {
    const known = {
      names: BENCHMARKS.map(({ name }) => name),
      sources: sources(),
      peers: [...PEERS.map(({ key }) => key), 'none'],
    }
    return await runAll(readCommand(words, known))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    console.error(`${error.message}\nnpm run bench -- --help tells more`)
    return 2
  }
}

async function runAll(command: Command): Promise<number> {
  const gates = readGates()
  const machine = describeMachine()
  const lines: Line[] = []
  let failed = false
  for (const benchmark of BENCHMARKS.filter(({ name }) => command.names.includes(name))) {
    const own = gates.filter((gate) => gate.benchmark === benchmark.name)
    const rows = own.map(({ row }) => row)
    const { lines: printed, error } = await runBenchmark(benchmark, command, machine, rows)
    for (const line of printed) console.log(JSON.stringify(line))
    if (error) console.error(`${benchmark.name}: ${error.message}`)
    else if (command.write) keepResults(benchmark.name, printed)
    failed ||= error !== null || (!command.count && announce(own, printed))
    lines.push(...printed)
  }
  return failed ? 1 : 0
}

/** Says what each gate came to. @returns whether one was missed */
function announce(gates: readonly Gate[], lines: readonly Line[]): boolean {
  const judgements = judge(gates, lines)
  for (const { gate, verdict, reason, line } of judgements) {
    const value = line ? Number(gateValue(gate, line).toPrecision(3)) : '–'
    const limit = `${gate.bound === 'least' ? '≥' : '≤'} ${gate.gate}`
    console.error(
      `${verdict.toUpperCase()} ${gate.row}: ${gate.figure}: ${value}, gate ${limit}${reason ? ` (${reason})` : ''}`,
    )
  }
  return judgements.some(({ verdict }) => verdict === 'missed')
}

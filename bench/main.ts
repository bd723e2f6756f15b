import { UsageError } from './command.ts'
import { USAGE as INGEST, ingest } from './ingest.ts'
import { USAGE as TENANCY, tenancy } from './tenancy.ts'

interface Benchmark {
  usage: string
  run(words: string[]): Promise<void>
}

const BENCHMARKS: Record<string, Benchmark> = {
  ingest: { usage: INGEST, run: ingest },
  tenancy: { usage: TENANCY, run: tenancy },
}

const HELP = `npm run bench -- <name> [options]: one line of JSON per figure on standard output, progress on standard error

${Object.values(BENCHMARKS)
  .map(({ usage }) => usage)
  .join('\n\n')}`

// The default handlers would exit at once; the process with Postgres and the PSP would notice and stop both.
process.exitCode = await main(process.argv.slice(2))

/** Exit codes: 0 done, 1 failed, 2 wrong command line. */
async function main([name, ...words]: string[]): Promise<number> {
  if (name === undefined || [name, ...words].some((word) => ['--help', '-h', 'help'].includes(word))) {
    console.log(HELP)
    return name === undefined ? 2 : 0
  }
  const benchmark = Object.hasOwn(BENCHMARKS, name) ? BENCHMARKS[name] : undefined
  try {
    if (!benchmark) throw new UsageError(`"${name}" is not one of ${Object.keys(BENCHMARKS).join(', ')}`)
    await benchmark.run(words)
    return 0
  } catch (error) {
    if (!(error instanceof UsageError)) {
      console.error(`${name}: ${(error as Error).message}`)
      return 1
    }
    console.error(`${error.message}\nnpm run bench -- --help tells more`)
    return 2
  }
}

import { parseArgs } from 'node:util'
import type { Settings } from './context.ts'

/** The command line is wrong; the message says what it takes. */
export class UsageError extends Error {}

export interface Command extends Settings {
  names: string[]
  /** Keep the results, and write docs/benchmarks.md from them. */
  write: boolean
}

const PAIRS = 7
const QUICK_PAIRS = 1

const OPTIONS = {
  quick: { type: 'boolean' },
  loud: { type: 'boolean' },
  write: { type: 'boolean' },
  pairs: { type: 'string' },
  source: { type: 'string' },
  count: { type: 'string' },
  peer: { type: 'string', multiple: true },
} as const

/** @throws UsageError that names the word that is wrong, and what would be right */
export function readCommand(
  words: readonly string[],
  known: { names: readonly string[]; sources: readonly string[]; peers: readonly string[] },
): Command {
  const { values, positionals } = parse(words)
  if (positionals.length === 0) throw new UsageError(`name a benchmark: all, ${known.names.join(', ')}`)
  for (const name of positionals) if (name !== 'all') oneOf(`"${name}"`, name, known.names)
  const source = values.source ?? 'stripe'
  oneOf(`--source: "${source}"`, source, known.sources)
  for (const peer of values.peer ?? []) oneOf(`--peer: "${peer}"`, peer, known.peers)
  const quick = values.quick ?? false
  const partial = values.peer !== undefined || values.count !== undefined || source !== 'stripe'
  if (values.write && partial)
    throw new UsageError('--write keeps whole benchmarks: leave out --source, --count and --peer')
  return {
    names: positionals.includes('all') ? [...known.names] : positionals,
    write: values.write ?? false,
    quick,
    loud: quick || (values.loud ?? false),
    pairs: wholeNumber('pairs', values.pairs, 100) ?? (quick ? QUICK_PAIRS : PAIRS),
    source,
    count: wholeNumber('count', values.count, 1_000_000),
    peers: values.peer ?? null,
  }
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: OPTIONS, strict: true, allowPositionals: true })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function oneOf(what: string, value: string, known: readonly string[]): void {
  if (!known.includes(value)) throw new UsageError(`${what} is not one of ${known.join(', ')}`)
}

/** From 1 to `most`; null when it was not given. */
function wholeNumber(name: string, value: string | undefined, most: number): number | null {
  if (value === undefined) return null
  const number = Number(value)
  if (!/^\d+$/.test(value) || number < 1 || number > most)
    throw new UsageError(`--${name}: "${value}" is not a whole number from 1 to ${most}`)
  return number
}

import { connect } from '../db/core/connect.ts'
import { Refusal } from '../db/core/refusal.ts'
import { readOperator, readReason } from './acting.ts'
import { type Command, readArguments, UsageError } from './command.ts'
import { readCliConfig } from './config.ts'
import { migrate } from './migrations.ts'
import { NOUNS } from './nouns.ts'
import { asText, commandUsage, usage } from './print.ts'

/** Exit codes: 0 done, 1 it could not be done, 2 the command line is wrong. */
const EXIT = { done: 0, failed: 1, usage: 2 } as const

function find(words: string[]): { noun: string; verb: string; command: Command; rest: string[] } {
  const [noun = '', second = ''] = words
  const verbs = NOUNS[noun]
  if (!verbs) throw new UsageError(`"${noun}" is not one of ${Object.keys(NOUNS).join(', ')}`)
  const verb = verbs[''] ? '' : second
  const command = verbs[verb]
  if (!command) throw new UsageError(`${noun} "${verb}" is not one of ${Object.keys(verbs).join(', ')}`)
  return { noun, verb, command, rest: words.slice(verb === '' ? 1 : 2) }
}

/** What the command line reads and writes, so that tests can bring their own. */
export interface Terminal {
  env: Record<string, string | undefined>
  out(text: string): void
  err(text: string): void
  /** All of standard input; absent = there is none. */
  input?(): Promise<string>
}

/** One command, from its words to its exit code. Never throws. */
export async function runCommandLine(words: string[], terminal: Terminal): Promise<number> {
  try {
    terminal.out(await answer(words, terminal))
    return EXIT.done
  } catch (error) {
    terminal.err(explain(error))
    return error instanceof UsageError ? EXIT.usage : EXIT.failed
  }
}

async function answer(words: string[], { env, err, input = async () => '' }: Terminal): Promise<string> {
  const plain = words.filter((word) => word !== '--json' && word !== '--help')
  if (plain.length === 0) return usage(NOUNS)
  const { noun, verb, command, rest } = find(plain)
  if (words.includes('--help')) return commandUsage(noun, verb, command)
  const read = readArguments(command, rest)
  const { databaseUrl, operator: variable, ...config } = readCliConfig(env)
  const reason = readReason(read.given.reason)
  const operator = () => readOperator(read.given.operator, variable)
  if (command.changes) operator()
  const { environment } = config
  const db = connect(databaseUrl, { max: 2, environment, statementTimeoutMs: command === migrate ? 0 : 30_000 })
  try {
    const action = [noun, verb].join(' ').trimEnd()
    const result = await command.run({ db, ...config, input, progress: err, action, operator, reason, ...read })
    if (words.includes('--json')) return JSON.stringify(result, null, 2)
    return command.text?.(result) ?? asText(result)
  } finally {
    await db.destroy()
  }
}

function explain(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}. Try: npm run recoup -- --help`
  if (error instanceof Refusal) return error.message
  const { code } = error as { code?: string }
  if (code === 'ECONNREFUSED' || code?.startsWith('57P') || code === 'ENOTFOUND')
    return 'Postgres does not answer at DATABASE_URL. Is it running?'
  if (code === '42501')
    return 'The role of DATABASE_URL may not do this. To migrate, give the address of the owner of the tables.'
  if (code === '42P01') return 'The database has no tables yet. Run: npm run recoup -- migrate'
  return error instanceof Error ? error.message : 'It failed for an unknown reason.'
}

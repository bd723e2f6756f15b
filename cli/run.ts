import { connect } from '../db/connect.ts'
import { Refusal } from '../db/refusal.ts'
import { account } from './accounts.ts'
import { assessment } from './assessments.ts'
import { type Command, readArguments, UsageError } from './command.ts'
import { readCliConfig } from './config.ts'
import { credential } from './credentials.ts'
import { group } from './groups.ts'
import { integration } from './integrations.ts'
import { job } from './jobs.ts'
import { key } from './keys.ts'
import { migrate } from './migrations.ts'
import { asText, commandUsage, usage } from './print.ts'

/** A noun alone is a command with the empty verb. */
const NOUNS: Record<string, Record<string, Command>> = {
  account,
  group,
  credential,
  key,
  integration,
  job,
  assessment,
  migrate: { '': migrate },
}

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

async function answer(words: string[], { env, input = async () => '' }: Terminal): Promise<string> {
  const plain = words.filter((word) => word !== '--json' && word !== '--help')
  if (plain.length === 0) return usage(NOUNS)
  const { noun, verb, command, rest } = find(plain)
  if (words.includes('--help')) return commandUsage(noun, verb, command)
  const read = readArguments(command, rest)
  const { databaseUrl, ring, temporal, environment } = readCliConfig(env)
  const db = connect(databaseUrl, { max: 2, environment, statementTimeoutMs: command === migrate ? 0 : 30_000 })
  try {
    const result = await command.run({ db, ring, temporal, environment, input, ...read })
    return words.includes('--json') ? JSON.stringify(result, null, 2) : asText(result)
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
  if (code === '42P01') return 'The database has no tables yet. Run: npm run recoup -- migrate'
  return error instanceof Error ? error.message : 'It failed for an unknown reason.'
}

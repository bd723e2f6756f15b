import { connect } from '../db/core/connect.ts'
import { Refusal } from '../db/core/refusal.ts'
import { readOperator, readReason } from './acting.ts'
import { type Command, readArguments, UsageError } from './command.ts'
import { readCliConfig } from './config.ts'
import { migrate } from './migrations.ts'
import { NOUNS } from './nouns.ts'
import { asText, commandUsage, usage } from './print.ts'

/** Exit codes: 0 done, 1 failed, 2 wrong command line. */
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

/** Input and output of the command line. Tests pass their own. */
export interface Terminal {
  env: Record<string, string | undefined>
  out(text: string): void
  err(text: string): void
  /** All of standard input; absent = there is none. */
  input?(): Promise<string>
}

/** Runs one command. Never throws. @returns the exit code */
export async function runCommandLine(words: string[], terminal: Terminal): Promise<number> {
  try {
    const text = await answer(words, terminal)
    if (text !== null) terminal.out(text)
    return EXIT.done
  } catch (error) {
    terminal.err(explain(error))
    return error instanceof UsageError ? EXIT.usage : EXIT.failed
  }
}

/** @returns what is left to print */
async function answer(words: string[], { env, out, err, input = async () => '' }: Terminal): Promise<string | null> {
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
  const db = connect(databaseUrl, {
    scope: command === migrate ? 'owner' : 'system',
    max: 2,
    environment,
    statementTimeoutMs: command === migrate ? 0 : 30_000,
  })
  try {
    const action = [noun, verb].join(' ').trimEnd()
    const json = words.includes('--json')
    const output = { print: out, progress: err, json }
    const result = await command.run({ db, ...config, input, ...output, action, operator, reason, ...read })
    if (result === null) return null
    if (json) return JSON.stringify(result, null, 2)
    if (read.flag('wide') && Array.isArray(result)) return asText(result, { wide: true })
    const columns = typeof command.list === 'object' ? command.list : undefined
    return command.text?.(result) ?? asText(result, { columns })
  } finally {
    await db.destroy()
  }
}

function explain(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}. Try: npm run recoup -- --help`
  if (error instanceof Refusal) return error.message
  const { code } = error as { code?: string }
  if (code === 'ECONNREFUSED' || code?.startsWith('57P') || code === 'ENOTFOUND')
    return 'Postgres does not respond at DATABASE_URL. Check the address, and that Postgres runs.'
  if (code === '42501')
    return 'The database role of DATABASE_URL is not allowed to do this. Set DATABASE_URL to the owner of the tables, as for `migrate`.'
  if (code === '42P01') return 'The database has no tables yet. Run: npm run recoup -- migrate'
  return error instanceof Error ? error.message : 'The command failed for an unknown reason.'
}

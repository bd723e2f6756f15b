import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { ConnectedDatabase } from '../db/core/connect.ts'
import type { KeyRing } from '../db/core/seal.ts'
import { isUuid } from '../domain/ids.ts'
import type { Environment } from '../domain/integration.ts'
import type { TemporalAddress } from '../workflows/starters/temporal.ts'
import type { Columns } from './table.ts'

/** A wrong command line. Only its message is printed. */
export class UsageError extends Error {
  override name = 'UsageError'
}

export interface CommandContext {
  db: ConnectedDatabase
  /** Read on first use, because most commands need no key. */
  ring(): KeyRing
  temporal: TemporalAddress
  /** Null when unknown. */
  temporalUi: string | null
  /** Control addresses of the PSPs that `npm start` simulates; null when it does not run on this database. */
  simulators: Readonly<Record<string, string>> | null
  environment: Environment
  /** RECOUP_APP_DATABASE_URL: `migrate` creates its role. */
  appDatabaseUrl: string | undefined
  /** Noun and verb, for the audit trail. */
  action: string
  /** The operator's name. @throws UsageError when it is malformed */
  operator(): string
  /** Null when none was given. */
  reason: string | null
  /** Days that a new credential may last. */
  tokenDays: number
  /** By the names of the command's options, the positional argument under its own name. */
  given: Record<string, string | undefined>
  flag(name: string): boolean
  /** All of standard input. */
  input(): Promise<string>
  /** Prints a line of the result at once. */
  print(line: string): void
  /** `--json` is given. */
  json: boolean
  /** Reports the progress of a long action, apart from its result. */
  progress(line: string): void
}

export interface Command {
  summary: string
  /** Name of the one positional argument, if it takes one. */
  argument?: string
  /** Option → its meaning. Names that end in `?` are optional, the others required. */
  options?: Record<string, string>
  flags?: Record<string, string>
  /** Set for commands that change something: they run as a named operator and are recorded in the audit trail. */
  changes?: {
    /** Required for commands that stop or override something. */
    reason: 'required' | 'optional' | 'none'
    /** Who else reads the reason, as a sentence. */
    readBy?: string
  }
  /** Set for commands that print rows: the fields of the table without `--wide`, or all of them. */
  list?: Columns | 'all'
  /** @returns the row or rows to print; null when everything is printed already */
  run(context: CommandContext): Promise<object | object[] | null>
  /** The text without `--json` and `--wide`; a table by default. */
  text?(result: object | object[]): string
}

/** Options and arguments whose values are ids. */
const IDS = new Set([
  'account',
  'group',
  'merchant',
  'merchantUuid',
  'credentialId',
  'integrationId',
  'jobId',
  'requestId',
  'chargebackId',
  'endpointId',
])

export const bare = (option: string) => option.replace(/\?$/, '')

/** Reads the words after `noun verb`. @throws UsageError */
export function readArguments(command: Command, words: string[]): Pick<CommandContext, 'given' | 'flag'> {
  const options: ParseArgsConfig['options'] = { json: { type: 'boolean' }, help: { type: 'boolean' } }
  for (const name of Object.keys(command.options ?? {})) options[bare(name)] = { type: 'string' }
  if (command.list) options.wide = { type: 'boolean' }
  if (command.changes) options.operator = { type: 'string' }
  if (command.changes && command.changes.reason !== 'none') options.reason = { type: 'string' }
  for (const name of Object.keys(command.flags ?? {})) options[name] = { type: 'boolean' }
  const { values, positionals } = parse(words, options)
  const given = Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
  if (command.argument) {
    if (positionals.length !== 1) throw new UsageError(`give exactly one <${command.argument}>`)
    given[command.argument] = positionals[0] as string
  } else if (positionals.length > 0) throw new UsageError(`"${positionals[0]}" is not expected here`)
  for (const name of Object.keys(command.options ?? {}))
    if (!name.endsWith('?') && given[name] === undefined) throw new UsageError(`--${name} is missing`)
  if (command.changes?.reason === 'required' && given.reason === undefined) throw new UsageError('--reason is missing')
  for (const [name, value] of Object.entries(given)) {
    if (!IDS.has(name)) continue
    if (!isUuid(value)) throw new UsageError(`${name}: "${value}" is not an id`)
    // As the database spells it: tokens and workflow ids carry it as text.
    given[name] = value.toLowerCase()
  }
  return { given, flag: (name) => values[name] === true }
}

function parse(words: string[], options: NonNullable<ParseArgsConfig['options']>) {
  try {
    return parseArgs({ args: words, options, allowPositionals: true, strict: true })
  } catch (error) {
    const [sentence] = (error as Error).message.split('. ')
    throw new UsageError(sentence ?? 'unknown option')
  }
}

/** A required value. @throws UsageError */
export function required(context: CommandContext, name: string): string {
  const value = context.given[name]
  if (value === undefined || value.trim() === '') throw new UsageError(`--${name} is missing`)
  return value
}

/** One required line of text. @throws UsageError */
export function readText(context: CommandContext, name: string, most: number): string {
  const text = required(context, name).trim()
  if (text.length > most || /\p{C}/u.test(text))
    throw new UsageError(`--${name} must be one line of at most ${most} characters`)
  return text
}

/** A date-time with its zone. @throws UsageError */
export function readDate(context: CommandContext, name: string): Date | undefined {
  const text = context.given[name]
  if (text === undefined) return undefined
  const date = new Date(text)
  if (!/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) || Number.isNaN(date.getTime()))
    throw new UsageError(`--${name} must be a date-time such as 2027-01-31T00:00:00Z, not "${text}"`)
  return date
}

/** One of the words. @throws UsageError */
export function oneOf<Word extends string>(context: CommandContext, name: string, words: readonly Word[]): Word {
  const value = required(context, name)
  if (!words.includes(value as Word)) throw new UsageError(`--${name} must be one of ${words.join(', ')}`)
  return value as Word
}

/** A positive whole number. @throws UsageError */
export function wholeNumber(name: string, text: string, most: number): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1 || number > most)
    throw new UsageError(`--${name} must be a whole number from 1 to ${most}`)
  return number
}

/** `--limit`, 50 by default. @throws UsageError */
export const readLimit = ({ given }: CommandContext, most: number): number =>
  wholeNumber('limit', given.limit ?? '50', most)

import { bare, type Command } from './command.ts'
import { shown, table } from './table.ts'

/** Rows as a table, one row as a list of its fields. */
export function asText(result: object | object[], how: Parameters<typeof table>[1] = {}): string {
  if (Array.isArray(result)) return table(result, how)
  const width = Math.max(...Object.keys(result).map((name) => name.length))
  return Object.entries(result)
    .map(([name, value]) => `${name.padEnd(width)}  ${shown(value)}`)
    .join('\n')
}

export function usage(nouns: Record<string, Record<string, Command>>): string {
  const lines = Object.entries(nouns).flatMap(([noun, verbs]) =>
    Object.entries(verbs).map(([verb, command]) => [words(noun, verb, command), command.summary] as const),
  )
  const width = Math.max(...lines.map(([left]) => left.length))
  return [
    'npm run recoup -- <noun> <verb> [options]',
    '',
    ...lines.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`),
    '',
    'Lists fit 100 columns; --wide prints all fields, --json prints JSON. --help after a command explains its options.',
    'Uses DATABASE_URL and RECOUP_ENCRYPTION_KEYS, or else the stack of `npm start` in .recoup.',
  ].join('\n')
}

const words = (noun: string, verb: string, command: Command) =>
  [noun, verb === '' ? [] : verb, command.argument ? `<${command.argument}>` : []].flat().join(' ')

export function commandUsage(noun: string, verb: string, command: Command): string {
  const options = Object.entries(command.options ?? {}).map(([name, meaning]) => {
    const option = `--${bare(name)} <…>`
    return [name.endsWith('?') ? `[${option}]` : option, meaning] as const
  })
  const flags = Object.entries(command.flags ?? {}).map(([name, meaning]) => [`[--${name}]`, meaning] as const)
  const all = [
    ...[...options, ...flags, ...whoAndWhy(command)],
    ...(command.list ? [['[--wide]', 'print all fields, in lines of any length'] as const] : []),
    ['[--json]', 'print JSON'] as const,
  ]
  const width = Math.max(...all.map(([left]) => left.length))
  return [
    `npm run recoup -- ${words(noun, verb, command)}: ${command.summary}`,
    '',
    ...all.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`),
  ].join('\n')
}

/** Options of commands that change something. */
function whoAndWhy({ changes }: Command): (readonly [string, string])[] {
  if (!changes) return []
  const who = ['[--operator <…>]', 'name of the operator; RECOUP_OPERATOR or your user name by default'] as const
  const why = 'why, in one sentence without personal data, for the audit trail'
  if (changes.reason === 'none') return [who]
  return [
    who,
    [
      changes.reason === 'required' ? '--reason <…>' : '[--reason <…>]',
      changes.readBy ? `${why}; ${changes.readBy}` : why,
    ],
  ]
}

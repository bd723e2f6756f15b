import { listActions, type RecordedAction } from '../db/merchants/operator-actions.ts'
import { type Command, readDate, UsageError } from './command.ts'
import { wrapped } from './print.ts'

const MOST = 1_000

/** Width of a line, in characters. */
const WIDTH = 100

export const audit: Record<string, Command> = {
  list: {
    summary: 'list the actions of operators, newest first',
    options: {
      'by?': 'only this operator',
      'action?': 'only this command, e.g. "integration pause"',
      'on?': 'only actions on the resource with this id',
      'since?': 'only from this date-time on',
      'until?': 'only before this date-time',
      'before?': 'only actions older than this actionId, for the next page',
      'limit?': `number of actions; 50 by default, at most ${MOST}`,
    },
    run(context) {
      const { by, action, on } = context.given
      const limit = wholeNumber('limit', context.given.limit ?? '50', MOST)
      const before = context.given.before && wholeNumber('before', context.given.before, Number.MAX_SAFE_INTEGER)
      return listActions(context.db, {
        ...{ operator: by, action, subject: on, limit, before: before || undefined },
        ...{ since: readDate(context, 'since'), until: readDate(context, 'until') },
      })
    },
    text: (rows) => (rows as RecordedAction[]).map(lines).join('\n') || 'none',
  },
}

function wholeNumber(name: string, text: string, most: number): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1 || number > most)
    throw new UsageError(`--${name} must be a whole number from 1 to ${most}`)
  return number
}

function lines(row: RecordedAction): string {
  const { actionId, actedAt, operator, databaseRole, action, outcome, subject, reason, details } = row
  const head = [actionId, actedAt.toISOString(), operator, action, ...(outcome === 'done' ? [] : [outcome])]
  const more = Object.entries(details).map(([name, value]) => `${name} ${JSON.stringify(value)}`)
  return [
    ...wrapped(head.join('  '), WIDTH, '    '),
    ...[subject && `on: ${subject}`, reason && `reason: ${reason}`, ...more, `database role: ${databaseRole}`].flatMap(
      (line) => (line ? wrapped(`    ${line}`, WIDTH, '      ') : []),
    ),
  ].join('\n')
}

import { listActions, type RecordedAction } from '../db/merchants/operator-actions.ts'
import { type Command, readDate, UsageError } from './command.ts'
import { wrapped } from './print.ts'

const MOST = 1_000

/** Columns of a terminal that every line fits into. */
const WIDTH = 100

export const audit: Record<string, Command> = {
  list: {
    summary: 'what operators did: who, when, what, on what and why; newest first',
    options: {
      'by?': 'of this operator only',
      'action?': 'of this command only, e.g. "integration pause"',
      'on?': 'id of what was acted on',
      'since?': 'date-time, inclusive',
      'until?': 'date-time, exclusive',
      'before?': 'actionId: only older ones, to read on after the last page',
      'limit?': `how many; 50 unless given, at most ${MOST}`,
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
  if (!Number.isInteger(number) || number < 1 || number > most) throw new UsageError(`--${name}: 1 to ${most}`)
  return number
}

function lines(row: RecordedAction): string {
  const { actionId, actedAt, operator, databaseRole, action, outcome, subject, reason, details } = row
  const head = [actionId, actedAt.toISOString(), operator, action, ...(outcome === 'done' ? [] : [outcome])]
  const more = Object.entries(details).map(([name, value]) => `${name} ${JSON.stringify(value)}`)
  return [
    ...wrapped(head.join('  '), WIDTH, '    '),
    ...[subject && `on: ${subject}`, reason && `why: ${reason}`, ...more, `as: ${databaseRole}`].flatMap((line) =>
      line ? wrapped(`    ${line}`, WIDTH, '      ') : [],
    ),
  ].join('\n')
}

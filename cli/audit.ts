import { listActions, type RecordedAction } from '../db/merchants/operator-actions.ts'
import { type Command, readDate, readLimit, wholeNumber } from './command.ts'
import { WIDTH, wrapped } from './table.ts'

const MOST = 1_000

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
      const limit = readLimit(context, MOST)
      const before = context.given.before && wholeNumber('before', context.given.before, Number.MAX_SAFE_INTEGER)
      return listActions(context.db, {
        ...{ operator: by, action, subject: on, limit, before: before || undefined },
        ...{ since: readDate(context, 'since'), until: readDate(context, 'until') },
      })
    },
    list: 'all',
    // Not a table: reasons are long, and nothing of a record is left out.
    text: (rows) => (rows as RecordedAction[]).map(lines).join('\n') || 'none',
  },
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

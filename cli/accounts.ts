import { createAccount, listAccounts, readDataPointList, setDataPointList } from '../db/accounts.ts'
import { faultOfDataPoint } from '../domain/data-points.ts'
import { type Command, type CommandContext, required, UsageError } from './command.ts'

export const account: Record<string, Command> = {
  create: {
    summary: 'make an account',
    options: { name: 'what it is called' },
    run: (context) => createAccount(context.db, { name: required(context, 'name') }),
  },
  list: { summary: 'all accounts, oldest first', run: ({ db }) => listAccounts(db) },
  'data-points': {
    summary: 'which data points clients may set on chargebacks: show, or set',
    options: { account: 'of which account', 'names?': 'the only ones they may set, comma-separated' },
    flags: { any: 'they may set any' },
    run: async (context) => {
      const accountId = required(context, 'account')
      const names = readNames(context)
      if (names !== undefined) await setDataPointList(context.db, accountId, names)
      return { accountId, dataPoints: (await readDataPointList(context.db, accountId)) ?? 'any' }
    },
  },
}

/** Undefined: only to be shown. Null: any. @throws UsageError */
function readNames(context: CommandContext): string[] | null | undefined {
  const { names } = context.given
  if (names !== undefined && context.flag('any')) throw new UsageError('give --names or --any')
  if (names === undefined) return context.flag('any') ? null : undefined
  const list = names.split(',').map((name) => name.trim())
  for (const name of list) {
    const fault = faultOfDataPoint(name, true)
    if (fault) throw new UsageError(`--names: "${name}": ${fault}`)
  }
  return [...new Set(list)].sort()
}

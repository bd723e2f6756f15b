import { changeSettings, readDataPointList, readSettings, setDataPointList } from '../db/merchants/account-settings.ts'
import { createAccount, listAccounts } from '../db/merchants/accounts.ts'
import { accountSettings, settingsChanges } from '../domain/accounts/account-settings.ts'
import { assessmentParameters } from '../domain/assessment/settings.ts'
import { faultOfDataPoint } from '../domain/data-points.ts'
import { automaticPolicy } from '../domain/evidence/package/automatic-policy.ts'
import { act } from './acting.ts'
import { type Command, type CommandContext, required, UsageError } from './command.ts'

export const account: Record<string, Command> = {
  create: {
    summary: 'create an account',
    options: { name: 'its name' },
    changes: { reason: 'optional' },
    run(context) {
      const name = required(context, 'name')
      const about = ({ accountId }: { accountId: string }) => ({ subject: accountId, details: { name } })
      return act(context, (trx) => createAccount(trx, { name }), about)
    },
  },
  list: { summary: 'list accounts, oldest first', list: 'all', run: ({ db }) => listAccounts(db) },
  settings: {
    summary: 'show or change the settings of an account',
    options: { account: 'the account', 'set?': 'JSON with the settings to change; null restores a default' },
    changes: { reason: 'optional' },
    run: async (context) => {
      const accountId = required(context, 'account')
      const changes = readChanges(context)
      const about = { subject: accountId, details: { changes } }
      if (changes) await act(context, (trx) => changeSettings(trx, accountId, changes), about)
      const own = await readSettings(context.db, accountId)
      return {
        accountId,
        ...accountSettings(own),
        assessment: assessmentParameters(own),
        automaticSubmission: automaticPolicy(own.automaticSubmission),
      }
    },
  },
  'data-points': {
    summary: 'show or change which data points clients may set on chargebacks',
    options: { account: 'the account', 'names?': 'allow only these, comma-separated' },
    flags: { any: 'allow any' },
    changes: { reason: 'optional' },
    run: async (context) => {
      const accountId = required(context, 'account')
      const names = readNames(context)
      const about = { subject: accountId, details: { names: names ?? 'any' } }
      if (names !== undefined) await act(context, (trx) => setDataPointList(trx, accountId, names), about)
      return { accountId, dataPoints: (await readDataPointList(context.db, accountId)) ?? 'any' }
    },
  },
}

/** Undefined: show only. Null: allow any. @throws UsageError */
function readNames(context: CommandContext): string[] | null | undefined {
  const { names } = context.given
  if (names !== undefined && context.flag('any')) throw new UsageError('give either --names or --any, not both')
  if (names === undefined) return context.flag('any') ? null : undefined
  const list = names.split(',').map((name) => name.trim())
  for (const name of list) {
    const fault = faultOfDataPoint(name, true)
    if (fault) throw new UsageError(`--names: "${name}": ${fault}`)
  }
  return [...new Set(list)].sort()
}

/** @throws UsageError that names each invalid field */
function readChanges({ given }: CommandContext): Record<string, unknown> | null {
  if (given.set === undefined) return null
  let json: unknown
  try {
    json = JSON.parse(given.set)
  } catch {
    throw new UsageError('--set must be JSON')
  }
  const changes = settingsChanges.safeParse(json)
  if (changes.success) return changes.data
  const faults = changes.error.issues.map(({ path, message }) => `${path.join('.') || '--set'}: ${message}`)
  throw new UsageError(faults.join('; '))
}

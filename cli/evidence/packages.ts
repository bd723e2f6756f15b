import { Refusal } from '../../db/core/refusal.ts'
import { listPackages, packageOutcomes } from '../../db/packages/listing.ts'
import { readMerchantPolicy, setMerchantPolicy } from '../../db/packages/policies.ts'
import { automaticSettings } from '../../domain/evidence/package/automatic-policy.ts'
import { act } from '../acting.ts'
import { type Command, required, UsageError } from '../command.ts'

export const evidence: Record<string, Command> = {
  packages: {
    summary: 'list the versions of the package of a chargeback, newest first, without what they say',
    argument: 'chargebackId',
    list: 'all',
    async run(context) {
      const chargebackId = required(context, 'chargebackId')
      const found = await listPackages(context.db, chargebackId)
      if (found.length === 0)
        throw new Refusal('missing', 'draft_not_ready', `There is no package of chargeback ${chargebackId}.`)
      return found
    },
  },
  outcomes: {
    summary: 'compare what submitted packages said with how their chargebacks ended, by play and sentence',
    options: { 'account?': 'only of this account' },
    list: 'all',
    run: ({ db, given }) => packageOutcomes(db, given.account),
  },
  policy: {
    summary: 'show or change when the packages of a merchant are submitted automatically',
    options: {
      merchant: 'merchantUuid of the merchant',
      'set?': `JSON that replaces the merchant's own settings, e.g. {"mode": "auto", "hoursBeforeDue": 48}`,
    },
    flags: { default: 'as its account says (`account settings`)' },
    changes: { reason: 'optional' },
    async run(context) {
      const merchantUuid = required(context, 'merchant')
      const own = readOwn(context.given.set, context.flag('default'))
      const about = { subject: merchantUuid, details: { automaticSubmission: own ?? 'default' } }
      if (own !== undefined) await act(context, (trx) => setMerchantPolicy(trx, merchantUuid, own), about)
      const { policy, own: stored } = await readMerchantPolicy(context.db, merchantUuid)
      return { merchantUuid, own: stored ?? 'default', ...policy }
    },
  },
}

/** Undefined: show only. Null: the account's. @throws UsageError that names each invalid field */
function readOwn(given: string | undefined, isDefault: boolean): object | null | undefined {
  if (given !== undefined && isDefault) throw new UsageError('give either --set or --default')
  if (given === undefined) return isDefault ? null : undefined
  let json: unknown
  try {
    json = JSON.parse(given)
  } catch {
    throw new UsageError('--set must be JSON')
  }
  const read = automaticSettings.safeParse(json)
  if (read.success) return read.data
  throw new UsageError(
    read.error.issues.map(({ path, message }) => `${path.join('.') || '--set'}: ${message}`).join('; '),
  )
}

import { Refusal } from '../db/core/refusal.ts'
import { operatedMerchants } from '../db/merchants/operated-merchants.ts'
import { type Command, readLimit, required } from './command.ts'

const MOST = 1_000

export const merchant: Record<string, Command> = {
  list: {
    summary: 'list merchants, newest first, without their contacts',
    options: {
      'account?': 'only of this account',
      'group?': 'only members of this group',
      'reference?': 'only with this referenceId',
      'limit?': `number of merchants; 50 by default, at most ${MOST}`,
    },
    list: {
      ...{ merchantUuid: 'merchantUuid', name: 'merchantName', status: 'status', integrations: 'integrations' },
      ...{ reference: 'referenceId', created: 'createdAt' },
    },
    run(context) {
      const { account, group, reference } = context.given
      const limit = readLimit(context, MOST)
      return operatedMerchants(context.db, { accountId: account, groupId: group, referenceId: reference, limit })
    },
  },
  show: {
    summary: 'show a merchant with its account, groups and dates',
    argument: 'merchantUuid',
    async run(context) {
      const merchantUuid = required(context, 'merchantUuid')
      const [found] = await operatedMerchants(context.db, { merchantUuid, limit: 1 })
      if (!found) throw new Refusal('missing', 'merchant_not_found', `There is no merchant ${merchantUuid}.`)
      return found
    },
  },
}

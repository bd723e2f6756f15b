import { addToGroup, createGroup, listGroups, removeFromGroup } from '../db/merchants/groups.ts'
import { act } from './acting.ts'
import { type Command, type CommandContext, required } from './command.ts'

const member = { group: 'the group', merchant: 'merchantUuid of the merchant' }
const membership = (context: CommandContext) => ({
  groupId: required(context, 'group'),
  merchantUuid: required(context, 'merchant'),
})

export const group: Record<string, Command> = {
  create: {
    summary: 'create a group of merchants of one account',
    options: { account: 'the account', name: 'its name' },
    changes: { reason: 'optional' },
    run(context) {
      const group = { accountId: required(context, 'account'), name: required(context, 'name') }
      const about = ({ groupId }: { groupId: string }) => ({ subject: groupId, details: group })
      return act(context, (trx) => createGroup(trx, group), about)
    },
  },
  list: {
    summary: 'list groups of merchants, oldest first',
    options: { 'account?': 'only of this account', 'merchant?': 'only with this merchantUuid as a member' },
    list: { groupId: 'groupId', name: 'name', merchants: 'merchants', accountId: 'accountId', created: 'createdAt' },
    run: ({ db, given }) => listGroups(db, { accountId: given.account, merchantUuid: given.merchant }),
  },
  add: {
    summary: 'add a merchant to a group, so that credentials of the group can act on it',
    options: member,
    changes: { reason: 'optional' },
    async run(context) {
      const { groupId, merchantUuid } = membership(context)
      const about = { subject: groupId, details: { merchantUuid } }
      await act(context, (trx) => addToGroup(trx, { groupId, merchantUuid }), about)
      return { groupId, merchantUuid, member: true }
    },
  },
  remove: {
    summary: 'remove a merchant from a group; takes effect within a second',
    options: member,
    changes: { reason: 'required' },
    async run(context) {
      const { groupId, merchantUuid } = membership(context)
      const about = { subject: groupId, details: { merchantUuid } }
      await act(context, (trx) => removeFromGroup(trx, { groupId, merchantUuid }), about)
      return { groupId, merchantUuid, member: false }
    },
  },
}

import { addToGroup, createGroup, removeFromGroup } from '../db/groups.ts'
import { type Command, type CommandContext, required } from './command.ts'

const member = { group: 'the group', merchant: 'merchantUuid of the merchant' }
const membership = (context: CommandContext) => ({
  groupId: required(context, 'group'),
  merchantUuid: required(context, 'merchant'),
})

export const group: Record<string, Command> = {
  create: {
    summary: 'make a group of merchants of one account',
    options: { account: 'the account', name: 'what it is called' },
    run: (context) =>
      createGroup(context.db, { accountId: required(context, 'account'), name: required(context, 'name') }),
  },
  add: {
    summary: 'let credentials of the group act on a merchant',
    options: member,
    async run(context) {
      await addToGroup(context.db, membership(context))
      return { ...membership(context), member: true }
    },
  },
  remove: {
    summary: 'take a merchant out of the group; acts within a second',
    options: member,
    async run(context) {
      await removeFromGroup(context.db, membership(context))
      return { ...membership(context), member: false }
    },
  },
}

import { createAccount, listAccounts } from '../db/accounts.ts'
import { type Command, required } from './command.ts'

export const account: Record<string, Command> = {
  create: {
    summary: 'make an account',
    options: { name: 'what it is called' },
    run: (context) => createAccount(context.db, { name: required(context, 'name') }),
  },
  list: { summary: 'all accounts, oldest first', run: ({ db }) => listAccounts(db) },
}

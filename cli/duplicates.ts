import { type DuplicateDispute, duplicateDisputes, mergeDuplicates } from '../db/integrations/duplicates.ts'
import { act } from './acting.ts'
import { type Command, type CommandContext, required } from './command.ts'

/** Disputes of one call. Repeat the command for the rest. */
const MOST = 1_000

async function merge(context: CommandContext, found: DuplicateDispute[]): Promise<object[]> {
  required(context, 'reason')
  const results: object[] = []
  for (const { source, pspAccount, reference, blocked } of found) {
    const dispute = { source, pspAccount, reference }
    const merged =
      blocked === null
        ? await act(
            context,
            (trx) => mergeDuplicates(trx, context.ring(), dispute),
            (done) => ({ subject: done?.kept, details: { ...dispute, merged: done?.merged ?? [] } }),
          )
        : null
    results.push({ ...dispute, kept: merged?.kept ?? null, merged: merged?.merged ?? [], blocked })
  }
  return results
}

export const duplicates: Command = {
  summary: 'list disputes that are stored more than once because their PSP account was connected more than once',
  options: { 'merchant?': 'only this merchantUuid' },
  list: 'all',
  flags: { merge: 'keep one chargeback of each; needs --reason; the others stay readable by their id' },
  changes: { reason: 'optional' },
  async run(context) {
    const found = await duplicateDisputes(context.db, { merchantUuid: context.given.merchant, limit: MOST })
    return context.flag('merge') ? merge(context, found) : found
  },
}

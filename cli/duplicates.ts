import { type DuplicateDispute, duplicateDisputes, mergeDuplicates } from '../db/duplicates.ts'
import type { Command, CommandContext } from './command.ts'

/** More are shown, and merged, by the next call. */
const MOST = 1_000

async function merge({ db, ring }: CommandContext, found: DuplicateDispute[]): Promise<object[]> {
  const results: object[] = []
  for (const { source, pspAccount, reference, blocked } of found) {
    const merged = blocked === null ? await mergeDuplicates(db, ring(), { source, pspAccount, reference }) : null
    results.push({ source, pspAccount, reference, kept: merged?.kept ?? null, merged: merged?.merged ?? [], blocked })
  }
  return results
}

export const duplicates: Command = {
  summary: 'disputes that are stored more than once, because their PSP account was connected more than once',
  options: { 'merchant?': 'of this merchantUuid only' },
  flags: { merge: 'keep one chargeback of each; the others stay readable by their id' },
  async run(context) {
    const found = await duplicateDisputes(context.db, { merchantUuid: context.given.merchant, limit: MOST })
    return context.flag('merge') ? merge(context, found) : found
  },
}

import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'

/**
 * Blocks other transactions from deciding about the same dispute until this one ends. The key leaves out the PSP
 * account, so that a dispute whose account is not confirmed yet waits too.
 */
export async function lockDispute(
  trx: Database,
  { source, reference }: { source: string; reference: string },
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`dispute:${source}:${reference}`}, 0))`.execute(trx)
}

/** Blocks other transactions from assigning a PSP account to an integration until this one ends. */
export async function lockPspAccount(trx: Database, { source, account }: { source: string; account: string }) {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`account:${source}:${account}`}, 0))`.execute(trx)
}

import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'

/**
 * Keeps every other transaction from deciding about the same dispute, until this one ends. Without the account, so that a
 * dispute whose account is not known yet waits too.
 */
export async function lockDispute(
  trx: Database,
  { source, reference }: { source: string; reference: string },
): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`dispute:${source}:${reference}`}, 0))`.execute(trx)
}

/** Keeps every other transaction from deciding who acts on a PSP account, until this one ends. */
export async function lockPspAccount(trx: Database, { source, account }: { source: string; account: string }) {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`account:${source}:${account}`}, 0))`.execute(trx)
}

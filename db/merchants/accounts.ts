import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { Database } from '../core/connect.ts'
import { Refusal } from '../core/refusal.ts'

export interface AccountRecord {
  accountId: string
  name: string
  merchants: number
  createdAt: Date
}

export async function createAccount(db: Database, account: { name: string }): Promise<{ accountId: string }> {
  const accountId = uuidv7()
  await db.insertInto('account').values({ account_id: accountId, name: account.name }).execute()
  return { accountId }
}

/** Oldest first. */
export async function listAccounts(db: Database): Promise<AccountRecord[]> {
  const { rows } = await sql<AccountRecord>`
    select account_id as "accountId", name, created_at as "createdAt",
      (select count(*) from merchant m where m.account_id = a.account_id)::int as merchants
    from account a order by created_at, account_id`.execute(db)
  return rows
}

/** @throws Refusal account_not_found */
export async function requireAccount(db: Database, accountId: string): Promise<void> {
  const row = await db.selectFrom('account').select('account_id').where('account_id', '=', accountId).executeTakeFirst()
  if (!row) throw new Refusal('missing', 'account_not_found', `There is no account ${accountId}.`)
}

/**
 * Makes every API process drop its cache of the account's credentials. Call it in the transaction of each change of
 * access: a revocation, a group's members, a new merchant.
 */
export async function raiseRevocationEpoch(db: Database, accountId: string): Promise<void> {
  await db
    .updateTable('account')
    .set({ revocation_epoch: sql`revocation_epoch + 1` })
    .where('account_id', '=', accountId)
    .execute()
}

/** @returns null when there is no such account */
export async function readRevocationEpoch(db: Database, accountId: string): Promise<number | null> {
  const row = await db
    .selectFrom('account')
    .select('revocation_epoch')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row?.revocation_epoch ?? null
}

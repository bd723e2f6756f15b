import { type Kysely, sql } from 'kysely'

/**
 * Counts the existing files, account by account. Storing or deleting a file waits for the row of its account, so that
 * the sum, which is read while that row is locked, has every file that was counted before and none that is counted
 * later.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ id: string }>`select account_id as id from account`.execute(db)
  for (const { id } of rows)
    await db.transaction().execute(async (trx) => {
      await sql`insert into account_usage as u (account_id) values (${id})
        on conflict (account_id) do update set file_bytes = u.file_bytes`.execute(trx)
      await sql`update account_usage set file_bytes = (
          select coalesce(sum(f.bytes), 0) from merchant m join file f on f.merchant_uuid = m.merchant_uuid
          where m.account_id = ${id} and f.erased_at is null)
        where account_id = ${id}`.execute(trx)
    })
}

export const concurrent = true

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}

import { type Kysely, sql } from 'kysely'

/**
 * Counts the files that are there, account by account. Who stores or deletes a file waits at the row of its account, so the
 * sum, which is read once that row is held, has every file that was counted before and none that will be counted after.
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

import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'
import { Refusal } from '../core/refusal.ts'
import { setting } from '../core/setting.ts'

/**
 * Refuses a file that the merchant's account has no room for.
 * @param bytes of the file
 * @throws Refusal file_quota_exceeded
 */
export async function requireRoom(db: Database, merchantUuid: string, bytes: number): Promise<void> {
  const { rows } = await sql<{ used: bigint; quota: number }>`
    select coalesce(u.file_bytes, 0) as used, ${setting('a', 'fileBytes')} as quota
    from merchant m join account a on a.account_id = m.account_id
    left join account_usage u on u.account_id = a.account_id
    where m.merchant_uuid = ${merchantUuid}`.execute(db)
  const [found] = rows
  if (!found || Number(found.used) + bytes <= found.quota) return
  const [limit, used] = [found.quota, Number(found.used)].map((count) => count.toLocaleString('en-US'))
  throw new Refusal(
    'invalid',
    'file_quota_exceeded',
    `The account may store ${limit} bytes of files and has ${used}. Delete files that are not needed, or ask for more.`,
  )
}

/** Until the end of the transaction no other file of the account is stored: together they could pass the quota. */
export async function lockUsage(db: Database, merchantUuid: string): Promise<void> {
  await sql`
    insert into account_usage as u (account_id) select account_id from merchant where merchant_uuid = ${merchantUuid}
    on conflict (account_id) do update set file_bytes = u.file_bytes`.execute(db)
}

/** Refuses one more file for a chargeback that has as many as its account allows. @throws Refusal too_many_files */
export async function requireFewFiles(
  db: Database,
  { merchantUuid, chargebackId, fileId }: { merchantUuid: string; chargebackId: string; fileId: string },
): Promise<void> {
  const { rows } = await sql<{ most: number; others: number }>`
    select ${setting('a', 'filesPerChargeback')} as most, (
      select count(*)::int from (
        select e.file_id from command k join evidence_submission e on e.command_id = k.command_id
          where k.chargeback_id = ${chargebackId}
        union select file_id from evidence_plan where chargeback_id = ${chargebackId}
      ) named where file_id <> ${fileId}) as others
    from merchant m join account a on a.account_id = m.account_id where m.merchant_uuid = ${merchantUuid}`.execute(db)
  const [found] = rows
  if (!found || found.others < found.most) return
  throw new Refusal(
    'invalid',
    'too_many_files',
    `This chargeback has ${found.others} files already; the account allows ${found.most}. Use one of them.`,
  )
}

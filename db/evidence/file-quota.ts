import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'
import { Refusal } from '../core/refusal.ts'
import { setting } from '../core/setting.ts'
import { DRY_RUNS_SINCE } from './dry-runs.ts'

/**
 * Refuses a file that would exceed the quota of the merchant's account.
 * @param bytes of the file
 * @throws Refusal file_quota_exceeded
 */
export async function requireQuota(db: Database, merchantUuid: string, bytes: number): Promise<void> {
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

/** Share of its quota that the fullest account uses; 0 without files. */
export async function fullestQuota(db: Database): Promise<number> {
  const { rows } = await sql<{ share: number | null }>`
    select max(u.file_bytes / greatest(${setting('a', 'fileBytes')}, 1))::float8 as share
    from account_usage u join account a on a.account_id = u.account_id`.execute(db)
  return rows[0]?.share ?? 0
}

/** Blocks other uploads of the account until the transaction ends, because together they could exceed the quota. */
export async function lockUsage(db: Database, merchantUuid: string): Promise<void> {
  await sql`
    insert into account_usage as u (account_id) select account_id from merchant where merchant_uuid = ${merchantUuid}
    on conflict (account_id) do update set file_bytes = u.file_bytes`.execute(db)
}

/** Refuses a further file for a chargeback that has the account's maximum. @throws Refusal too_many_files */
export async function requireFileLimit(
  db: Database,
  { merchantUuid, chargebackId, fileId }: { merchantUuid: string; chargebackId: string; fileId: string },
): Promise<void> {
  const { rows } = await sql<{ most: number; others: number }>`
    select ${setting('a', 'filesPerChargeback')} as most, (
      select count(*)::int from (
        select e.file_id from command k join evidence_submission e on e.command_id = k.command_id
          where k.chargeback_id = ${chargebackId}
        union select file_id from evidence_plan
          where chargeback_id = ${chargebackId} and requested_at > ${DRY_RUNS_SINCE}
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

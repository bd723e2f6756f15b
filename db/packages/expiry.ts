import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'
import { daysAgo } from '../core/setting.ts'
import { DECIDED, DECIDED_AT, removeFiles } from '../evidence/file-deletion.ts'

/** A submission has sent the package `p`: its numbers stay, to learn what wins. */
const SENT = sql<boolean>`exists (select from evidence_submission e where e.file_id = p.file_id)`

/**
 * Of the given packages, those whose chargeback was decided so long ago that files of submissions end: their PDF and their
 * text go, and the whole row if it was never sent. The caller holds the row locks.
 * @returns how many
 */
export async function expirePackages(db: Database, packageIds: readonly string[]): Promise<number> {
  if (packageIds.length === 0) return 0
  const { rows } = await sql<{ packageId: string; fileId: string | null }>`
    select p.package_id as "packageId", p.file_id as "fileId" from evidence_package p
    join chargeback c on c.id = p.chargeback_id
    join merchant m on m.merchant_uuid = p.merchant_uuid join account a on a.account_id = m.account_id
    where p.package_id = any(${[...packageIds]}::uuid[]) and (p.content_sealed is not null or not ${SENT})
      and ${DECIDED} and ${DECIDED_AT} < ${daysAgo('a', 'closedFileDays')}
      and not exists (select from command k where k.chargeback_id = c.id and k.status in ('created', 'inProgress'))`.execute(
    db,
  )
  const [expired, files] = [rows.map((row) => row.packageId), rows.flatMap(({ fileId }) => fileId ?? [])]
  if (expired.length === 0) return 0
  await removeFiles(db, files)
  await sql`
    update evidence_package p set content_sealed = null, persons = '{}'
    where p.package_id = any(${expired}::uuid[]) and ${SENT}`.execute(db)
  await sql`delete from evidence_package p where p.package_id = any(${expired}::uuid[]) and not ${SENT}`.execute(db)
  return expired.length
}

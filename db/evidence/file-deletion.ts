import { sql } from 'kysely'
import { isUuid } from '../../domain/ids.ts'
import type { Database } from '../core/connect.ts'
import { Refusal } from '../core/refusal.ts'
import { daysAgo } from '../core/setting.ts'
import { inTransaction } from '../core/transaction.ts'
import { wantForFiles } from '../packages/wanted.ts'
import { JOINED_CHARGEBACKS } from './chargeback-files.ts'
import { DRY_RUNS_SINCE } from './dry-runs.ts'
import { fileNotFound } from './files.ts'

/** The PSP has decided the chargeback `c`: it can't be contested any more. */
export const DECIDED = sql<boolean>`
  c.psp_status in ('won', 'lost', 'split', 'not_applicable', 'evidence_not_submitted_by_psp')`

/** Time of the decision, as far as the PSP reports it. */
export const DECIDED_AT = sql<Date>`greatest(coalesce(c.psp_status_change_date, c.updated_at), c.created_at)`

/** A dry run with the file `f` is in progress; it ends within seconds. */
const DRAFTED = sql<boolean>`exists (select from evidence_plan p
  where p.file_id = f.file_id and p.answer is null and p.requested_at > now() - interval '15 minutes')`

const SUBMISSIONS = sql`evidence_submission e join command k on k.command_id = e.command_id
  join chargeback c on c.id = k.chargeback_id`

/**
 * Removes a file. For a file that was ever submitted, size and SHA-256 stay as proof of what was sent to the PSP.
 * @throws Refusal file_not_found, file_in_use
 */
export function deleteFile(
  db: Database,
  { merchantUuid, fileId }: { merchantUuid: string; fileId: string },
): Promise<void> {
  return inTransaction(db, async (trx) => {
    if (!isUuid(fileId)) throw fileNotFound()
    // Chargebacks before files, as in a submission.
    await wantForFiles(trx, [fileId])
    // A submission that names the file locks it until its commit, so read the uses after this lock.
    const { rows } = await sql<{ origin: string }>`
      select origin from file where merchant_uuid = ${merchantUuid} and file_id = ${fileId}
        and erased_at is null for update`.execute(trx)
    if (!rows[0]) throw fileNotFound()
    if (rows[0].origin === 'built')
      throw new Refusal(
        'invalid',
        'file_in_use',
        'The file is evidence that Recoup built: it is deleted once it is replaced, or its chargeback has been closed long enough.',
      )
    const used = await sql<{ drafted: boolean; submitted: boolean }>`
      select ${DRAFTED} as drafted, exists (select from ${SUBMISSIONS} where e.file_id = f.file_id
        and (k.status in ('created', 'inProgress') or (k.status = 'succeeded' and not ${DECIDED}))) as submitted
      from file f where f.file_id = ${fileId}`.execute(trx)
    const { drafted, submitted } = used.rows[0] ?? {}
    if (submitted)
      throw new Refusal(
        'invalid',
        'file_in_use',
        'An evidence submission uses the file. It can be deleted when that has failed, or the PSP has decided.',
      )
    if (drafted) throw new Refusal('invalid', 'file_in_use', 'A dry run uses the file. Try again in a minute.')
    await removeFiles(trx, [fileId])
  })
}

/** Keeps the row without content for files that a submission names. The caller holds the row locks. */
export async function removeFiles(db: Database, fileIds: string[]): Promise<void> {
  await sql`
    update file f set content_sealed = null, name_sealed = null, metadata_sealed = null, md5 = null, persons = '{}',
      erased_at = now()
    where f.file_id = any(${fileIds}::uuid[])
      and exists (select from evidence_submission e where e.file_id = f.file_id)`.execute(db)
  await sql`
    delete from file f where f.file_id = any(${fileIds}::uuid[])
      and not exists (select from evidence_submission e where e.file_id = f.file_id)`.execute(db)
}

/**
 * A chargeback that the PSP has not decided may enclose the file `f` as an exhibit. Which files its package encloses is
 * sealed, and changes with each build, so that all of its files stay.
 */
const MAY_BE_ENCLOSED = sql<boolean>`
  exists (select from ${JOINED_CHARGEBACKS} where c.merged_into is null and not ${DECIDED})`

/**
 * The files past their retention period that no draft, open submission or open chargeback needs. Files for all
 * chargebacks of a merchant, such as policies, don't expire.
 */
export async function expiredFiles(db: Database, fileIds: string[]): Promise<string[]> {
  const { rows } = await sql<{ fileId: string }>`
    select f.file_id as "fileId"
    from file f join merchant m on m.merchant_uuid = f.merchant_uuid join account a on a.account_id = m.account_id
    where f.file_id = any(${fileIds}::uuid[]) and f.erased_at is null and not f.merchant_wide
      and f.origin = 'uploaded'
      and f.created_at < ${daysAgo('a', 'unusedFileDays')}
      and not exists (select from evidence_plan p where p.file_id = f.file_id and p.requested_at > ${DRY_RUNS_SINCE})
      and not ${MAY_BE_ENCLOSED}
      and not exists (select from ${SUBMISSIONS} where e.file_id = f.file_id and case
        when k.status = 'failed' then k.requested_at >= ${daysAgo('a', 'unusedFileDays')}
        else k.status <> 'succeeded' or not ${DECIDED} or ${DECIDED_AT} >= ${daysAgo('a', 'closedFileDays')} end)`.execute(
    db,
  )
  return rows.map((row) => row.fileId)
}

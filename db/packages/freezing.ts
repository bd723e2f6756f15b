import { sql } from 'kysely'
import type { PackageContent } from '../../domain/evidence/package/package-content.ts'
import { isUuid } from '../../domain/ids.ts'
import type { Database } from '../core/connect.ts'
import { Refusal } from '../core/refusal.ts'
import { type KeyRing, open, sealContext } from '../core/seal.ts'
import { fileNotFound, holdFile } from '../evidence/files.ts'
import { STALE } from './wanted.ts'

/** A package as a submission finds it. The chargeback's row is locked. */
export interface SubmittedPackage {
  packageId: string
  /** Whether it is still what the chargeback's data says. */
  upToDate: boolean
}

/**
 * The package whose file it is; null for a file that was uploaded.
 * @throws Refusal file_not_found for the package of another chargeback
 */
export async function packageOfFile(
  db: Database,
  { merchantUuid, chargebackId, fileId }: Record<'merchantUuid' | 'chargebackId' | 'fileId', string>,
): Promise<SubmittedPackage | null> {
  if (!isUuid(fileId)) return null
  const { rows } = await sql<SubmittedPackage & { chargebackId: string }>`
    select p.package_id as "packageId", p.chargeback_id as "chargebackId",
      p.round = c.round and p.state in ('current', 'frozen') and not ${STALE} and not exists (
        select from evidence_package later where later.chargeback_id = p.chargeback_id and later.round = p.round
          and later.version > p.version) as "upToDate"
    from evidence_package p join chargeback c on c.id = p.chargeback_id
    where p.file_id = ${fileId} and p.merchant_uuid = ${merchantUuid}`.execute(db)
  const [found] = rows
  if (found && found.chargebackId !== chargebackId) throw fileNotFound()
  return found ?? null
}

/** From now on it stays as it was reviewed. Call it in the transaction of the submission. @throws Refusal draft_changed */
export async function freezePackage(
  db: Database,
  { packageId, upToDate }: SubmittedPackage,
  file: { merchantUuid: string; fileId: string },
): Promise<void> {
  if (upToDate)
    await db
      .updateTable('evidence_package')
      .set({ state: 'frozen' })
      .where('package_id', '=', packageId)
      .where('state', '=', 'current')
      .execute()
  // The file after its package, as where packages expire.
  if (!upToDate || !(await holdFile(db, file)))
    throw new Refusal(
      'invalid',
      'draft_changed',
      'The draft has been replaced, or the data of the chargeback has changed since it was built. Read the draft again in a minute, and submit its fileId.',
    )
}

/** What the package that a file belongs to says to the PSP; null for a file that was uploaded. */
export async function reviewedContent(
  db: Database,
  ring: KeyRing,
  { merchantUuid, chargebackId, fileId }: Record<'merchantUuid' | 'chargebackId' | 'fileId', string>,
): Promise<Pick<PackageContent, 'texts' | 'purchases'> | null> {
  const row = await db
    .selectFrom('evidence_package')
    .select(['package_id', 'content_sealed'])
    .where('file_id', '=', fileId)
    .where('merchant_uuid', '=', merchantUuid)
    .where('chargeback_id', '=', chargebackId)
    .executeTakeFirst()
  return row ? (openContent(ring, row.package_id, row.content_sealed) ?? { texts: {}, purchases: null }) : null
}

export const openContent = (ring: KeyRing, packageId: string, sealed: string | null): PackageContent | null =>
  sealed === null ? null : JSON.parse(open(ring, sealed, sealContext.evidencePackage(packageId)))

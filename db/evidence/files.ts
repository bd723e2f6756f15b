import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import { v7 } from 'uuid'
import { addressesIn } from '../../domain/accounts/addresses.ts'
import type { FilePurpose } from '../../domain/evidence/file.ts'
import { fileAbout } from '../../domain/evidence/file-metadata.ts'
import { isUuid } from '../../domain/ids.ts'
import type { Database } from '../core/connect.ts'
import { Refusal } from '../core/refusal.ts'
import { type KeyRing, open, openBytes, seal, sealBytes, sealContext } from '../core/seal.ts'
import { inTransaction } from '../core/transaction.ts'
import { addressHashes } from '../erasure/persons.ts'
import { wantForNewFile } from '../packages/wanted.ts'
import type { File } from '../schema.ts'
import { lockUsage, requireQuota } from './file-quota.ts'

export interface NewFile {
  merchantUuid: string
  /** The client's file name; never a path. */
  name: string
  purpose: FilePurpose
  /** Detected from the content: application/pdf, image/png or image/jpeg. */
  type: string
  /** JSON text of an object, or null. */
  metadata: string | null
  content: Buffer
  /** E-mail addresses in the visible text (`addressesIn`), for the blind index of persons. */
  addresses: string[]
  /** Absent: uploaded. A built file doesn't count towards the quota. */
  origin?: 'built'
}

export interface FileRecord {
  fileId: string
  name: string
  purpose: FilePurpose
  type: string
  bytes: number
  /** SHA-256 of the content, lower-case hex. */
  sha256: string
  /** MD5 of the content, lower-case hex: the checksum that clients get. */
  checksum: string
  metadata: string | null
  createdAt: Date
}

/**
 * Stores a file; every column that may hold a person is sealed. Chargebacks that its metadata names want a new package.
 * @throws Refusal file_quota_exceeded
 */
export function storeFile(db: Database, ring: KeyRing, file: NewFile): Promise<FileRecord> {
  return inTransaction(db, async (trx) => {
    await wantForNewFile(trx, { merchantUuid: file.merchantUuid, ...fileAbout(file.metadata) })
    await lockUsage(trx, file.merchantUuid)
    await requireQuota(trx, file.merchantUuid, file.content.length)
    return insertFile(trx, ring, file)
  })
}

/** Stores a file without a look at the quota, or at the chargebacks that it is about. */
export async function insertFile(db: Database, ring: KeyRing, file: NewFile): Promise<FileRecord> {
  const fileId = v7()
  const { merchantUuid, name, purpose, type, metadata, content } = file
  const context = sealContext.file(merchantUuid, fileId)
  const [sha256, md5] = ['sha256', 'md5'].map((kind) => createHash(kind).update(content).digest()) as [Buffer, Buffer]
  const about = fileAbout(metadata)
  const { created_at } = await db
    .insertInto('file')
    .values({
      file_id: fileId,
      merchant_uuid: merchantUuid,
      purpose,
      type,
      bytes: content.length,
      sha256,
      md5,
      name_sealed: seal(ring, name, context),
      metadata_sealed: metadata === null ? null : seal(ring, metadata, context),
      kind: about.kind,
      chargeback_reference: about.chargeback,
      transaction_reference: about.transaction,
      merchant_wide: about.merchantWide,
      content_sealed: sealBytes(ring, content, context),
      ...(file.origin && { origin: file.origin }),
      persons: addressHashes(ring, [...addressesIn(name), ...addressesIn(metadata ?? ''), ...file.addresses]),
    })
    .returning('created_at')
    .executeTakeFirstOrThrow()
  return {
    fileId,
    name,
    purpose,
    type,
    bytes: content.length,
    ...hex({ sha256, md5 }),
    metadata,
    createdAt: created_at,
  }
}

export const fileNotFound = () => new Refusal('missing', 'file_not_found', 'There is no file with this id.')

/** Whether the merchant has the file, with its content; blocks its deletion until the transaction ends. */
export async function holdFile(
  db: Database,
  { merchantUuid, fileId }: { merchantUuid: string; fileId: string },
): Promise<boolean> {
  if (!isUuid(fileId)) return false
  const row = await db
    .selectFrom('file')
    .select('file_id')
    .where('merchant_uuid', '=', merchantUuid)
    .where('file_id', '=', fileId)
    .where('content_sealed', 'is not', null)
    .forShare()
    .executeTakeFirst()
  return row !== undefined
}

/** A file without its content. @throws Refusal file_not_found, also for another merchant's file and for one that was erased */
export async function describeFile(
  db: Database,
  ring: KeyRing,
  { merchantUuid, fileId }: { merchantUuid: string; fileId: string },
): Promise<FileRecord & { origin: 'uploaded' | 'built' }> {
  const row = isUuid(fileId)
    ? await db
        .selectFrom('file')
        .select(['file_id', 'type', 'purpose', 'bytes', 'sha256', 'md5', 'name_sealed', 'metadata_sealed'])
        .select(['created_at', 'origin'])
        .where('merchant_uuid', '=', merchantUuid)
        .where('file_id', '=', fileId)
        .where('content_sealed', 'is not', null)
        .executeTakeFirst()
    : undefined
  if (!row || row.name_sealed === null || !row.md5) throw fileNotFound()
  const { name_sealed, md5 } = row
  return { ...toRecord(ring, merchantUuid, { ...row, name_sealed, md5 }), origin: row.origin as 'uploaded' | 'built' }
}

export interface StoredFile extends FileRecord {
  /** The merchant's account. */
  accountId: string
  content: Buffer
}

/** @throws Refusal file_not_found, also for a file of another merchant or one whose content was erased */
export async function readFile(
  db: Database,
  ring: KeyRing,
  { merchantUuid, fileId }: { merchantUuid: string; fileId: string },
): Promise<StoredFile> {
  const row = isUuid(fileId)
    ? await db
        .selectFrom('file as f')
        .innerJoin('merchant as m', 'm.merchant_uuid', 'f.merchant_uuid')
        .selectAll('f')
        .select('m.account_id')
        .where('f.merchant_uuid', '=', merchantUuid)
        .where('f.file_id', '=', fileId)
        .executeTakeFirst()
    : undefined
  if (!row?.content_sealed || row.name_sealed === null || !row.md5) throw fileNotFound()
  const { name_sealed, md5 } = row
  return {
    ...toRecord(ring, merchantUuid, { ...row, name_sealed, md5 }),
    accountId: row.account_id,
    content: openBytes(ring, row.content_sealed, sealContext.file(merchantUuid, row.file_id)),
  }
}

type Columns = Pick<
  Selectable<File>,
  'file_id' | 'type' | 'purpose' | 'bytes' | 'sha256' | 'metadata_sealed' | 'created_at'
> & { name_sealed: string; md5: Buffer }

function toRecord(ring: KeyRing, merchantUuid: string, row: Columns): FileRecord {
  const context = sealContext.file(merchantUuid, row.file_id)
  return {
    fileId: row.file_id,
    name: open(ring, row.name_sealed, context),
    purpose: row.purpose as FilePurpose,
    type: row.type,
    bytes: row.bytes,
    ...hex({ sha256: row.sha256, md5: row.md5 }),
    metadata: row.metadata_sealed === null ? null : open(ring, row.metadata_sealed, context),
    createdAt: row.created_at,
  }
}

const hex = ({ sha256, md5 }: { sha256: Buffer; md5: Buffer }) => ({
  sha256: sha256.toString('hex'),
  checksum: md5.toString('hex'),
})

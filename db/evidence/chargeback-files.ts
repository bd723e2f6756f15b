import { sql } from 'kysely'
import { EXHIBIT_KINDS, type ExhibitKind } from '../../domain/evidence/fact-catalogue.ts'
import { fileCaption, fileHighlights, type Highlight } from '../../domain/evidence/file-metadata.ts'
import { DISPUTES, RECORDS } from '../chargebacks/joined-transactions.ts'
import type { Database } from '../core/connect.ts'
import { type KeyRing, open, sealContext } from '../core/seal.ts'

/** A file that its metadata joins to a chargeback. */
export interface ChargebackFile {
  fileId: string
  kind: ExhibitKind
  /** What the file is about. */
  of: 'chargeback' | 'transaction' | 'merchant'
  /** The client's words, in one line. */
  caption: string | null
  /** Parts of its pages that the client framed. */
  highlights: readonly Highlight[]
  createdAt: Date
}

/** More than the files that anybody reads: the oldest ones are left out. */
const MOST_FILES = 200

/**
 * Files of chargeback `c`, one branch for each index: by its id or the PSP's, and by the ids of its transaction. A file
 * of another merchant never joins, whatever its metadata says. Built files have no metadata, so they join nothing.
 */
export const OWN_FILES = sql`(
  select f.file_id, 'chargeback' as "of" from file f where f.merchant_uuid = c.merchant_uuid
    and f.chargeback_reference = any(array[c.id::text, c.chargeback_id]) and f.erased_at is null
  union all
  select f.file_id, 'transaction' from file f where f.merchant_uuid = c.merchant_uuid
    and f.transaction_reference = any(array[c.transaction_id, c.external_transaction_identifier]
      || array(select t.transaction_id from ${RECORDS})) and f.erased_at is null)`

/**
 * The chargebacks `c` that file `f` is for, by the same keys. One chargeback may be in the result twice. `offset 0` makes
 * Postgres use the indexes of these keys, also without statistics.
 */
export const JOINED_CHARGEBACKS = sql`lateral (
  select d.* from (select * from chargeback where id =
    case when f.chargeback_reference ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then f.chargeback_reference::uuid end
    offset 0) d where d.merchant_uuid = f.merchant_uuid
  union all
  select d.* from chargeback d where d.merchant_uuid = f.merchant_uuid and d.chargeback_id = f.chargeback_reference
  union all
  select d.* from chargeback d where d.merchant_uuid = f.merchant_uuid and d.transaction_id = f.transaction_reference
  union all
  select d.* from chargeback d
    where d.merchant_uuid = f.merchant_uuid and d.external_transaction_identifier = f.transaction_reference
  union all
  select c.* from transaction_record t cross join ${DISPUTES}
    where t.merchant_uuid = f.merchant_uuid and t.transaction_id = f.transaction_reference
  offset 0
) c`

/** Files of a chargeback, newest first: its own, those of its transaction, those for all chargebacks of the merchant. */
export async function filesOfChargeback(
  db: Database,
  ring: KeyRing,
  { merchantUuid, chargebackId }: { merchantUuid: string; chargebackId: string },
): Promise<ChargebackFile[]> {
  const { rows } = await sql<
    Omit<ChargebackFile, 'caption' | 'highlights' | 'kind'> & { kind: string | null; sealed: string | null }
  >`
    select f.file_id as "fileId", f.kind, j."of", f.metadata_sealed as sealed, f.created_at as "createdAt"
    from chargeback c cross join lateral (${OWN_FILES}
      union all
      select f.file_id, 'merchant' from file f where f.merchant_uuid = c.merchant_uuid and f.merchant_wide
        and f.erased_at is null) j
    join file f on f.file_id = j.file_id
    where c.id = ${chargebackId} and c.merchant_uuid = ${merchantUuid}
    order by f.created_at desc, f.file_id limit ${MOST_FILES}`.execute(db)
  return rows.map(({ kind, sealed, ...file }) => {
    const metadata = sealed === null ? null : open(ring, sealed, sealContext.file(merchantUuid, file.fileId))
    const known = EXHIBIT_KINDS.find((one) => one === kind)
    return { ...file, kind: known ?? 'other', caption: fileCaption(metadata), highlights: fileHighlights(metadata) }
  })
}

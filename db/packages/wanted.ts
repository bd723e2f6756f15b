import { type RawBuilder, sql } from 'kysely'
import type { FileAbout } from '../../domain/evidence/file-metadata.ts'
import { BUILD_VERSION } from '../../domain/evidence/package/build-version.ts'
import { DISPUTES } from '../chargebacks/joined-transactions.ts'
import type { Database } from '../core/connect.ts'

/**
 * Chargebacks that build evidence want a package whenever something changes that it may say. A change of the row itself
 * is noticed by a trigger (migration 0032); the functions here are for what is stored elsewhere.
 */

/** Chargeback `c` has changed since its package was built, or has none. The condition of an index. */
const OUT_OF_DATE = sql<boolean>`(c.package_at is null or c.package_wanted_at > c.package_at)`

/** The package of chargeback `c` does not say what its data says. Times of Postgres alone, so that no clock can be behind. */
export const STALE = sql<boolean>`(${OUT_OF_DATE} is true)`

/** Time of the change, for chargeback `c`. */
export const WANTED_NOW: RawBuilder<Date> = sql`next_package_wanted(c.package_wanted_at, c.package_at)`

/**
 * A command of the chargeback's round that has not failed: what it sends must not change. With a limit, so that it is looked
 * up row by row.
 */
const ANSWERED = sql<boolean>`coalesce((select true from command k
  where k.chargeback_id = c.id and k.round = c.round and k.status <> 'failed' limit 1), false)`

/** Seconds without a change after which a package is built: data arrives in pieces. */
const QUIET_SECONDS = 30

const want = (db: Database, ids: RawBuilder<unknown>) =>
  sql`
    update chargeback c set package_wanted_at = ${WANTED_NOW} from (
      select d.id from chargeback d where d.id = any(array(${ids})) and d.status = 'building_evidence'
      order by d.id for no key update
    ) found where c.id = found.id`.execute(db)

/** Files that are uploaded, or about to be removed: whatever chargebacks their metadata joins them to. */
export async function wantForFiles(db: Database, fileIds: readonly string[]): Promise<void> {
  if (fileIds.length === 0) return
  await wantForReferences(
    db,
    sql`(select * from file where file_id = any(${[...fileIds]}::uuid[]) and origin = 'uploaded')`,
  )
}

/** A file that is about to be stored. The chargebacks are locked before the account's usage, as where a file is deleted. */
export async function wantForNewFile(
  db: Database,
  { merchantUuid, chargeback, transaction, merchantWide }: Omit<FileAbout, 'kind'> & { merchantUuid: string },
): Promise<void> {
  if (!(chargeback ?? transaction ?? merchantWide)) return
  await wantForReferences(
    db,
    sql`(select ${merchantUuid}::uuid as merchant_uuid, ${chargeback}::text as chargeback_reference,
      ${transaction}::text as transaction_reference, ${merchantWide}::boolean as merchant_wide)`,
  )
}

/** @param uploaded rows with the references of files */
async function wantForReferences(db: Database, uploaded: RawBuilder<unknown>): Promise<void> {
  const joined = (column: string, reference: string) => sql`
    select c.id from ${uploaded} f join chargeback c
      on c.merchant_uuid = f.merchant_uuid and ${sql.ref(`c.${column}`)} = ${sql.ref(`f.${reference}`)}`
  await want(
    db,
    sql`
    select c.id from chargeback c where c.merchant_uuid = any(array(select merchant_uuid from ${uploaded} f))
      and c.id = any(array(
        select case when chargeback_reference ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
          then chargeback_reference::uuid end from ${uploaded} f))
    union ${joined('chargeback_id', 'chargeback_reference')}
    union ${joined('transaction_id', 'transaction_reference')}
    union ${joined('external_transaction_identifier', 'transaction_reference')}
    union select c.id from ${uploaded} f
      join transaction_record t on t.merchant_uuid = f.merchant_uuid and t.transaction_id = f.transaction_reference
      cross join ${DISPUTES}
    union select c.id from ${uploaded} f join chargeback c
      on f.merchant_wide and c.merchant_uuid = f.merchant_uuid and c.status = 'building_evidence'`,
  )
}

/** The account has other sentences. */
export async function wantForAccount(db: Database, accountId: string): Promise<void> {
  await want(
    db,
    sql`select c.id from merchant m join chargeback c on c.merchant_uuid = m.merchant_uuid
      where m.account_id = ${accountId} and c.status = 'building_evidence'`,
  )
}

/** Chargebacks to build for, the next due date first. The subquery has the condition and the order of an index. */
export async function wantedPackages(
  db: Database,
  now: Date,
  limit: number,
): Promise<{ chargebackId: string; merchantUuid: string }[]> {
  const { rows } = await sql<{ chargebackId: string; merchantUuid: string }>`
    select c.id as "chargebackId", c.merchant_uuid as "merchantUuid" from (
      select * from chargeback c where c.status = 'building_evidence' and ${OUT_OF_DATE} order by c.due_date, c.id offset 0
    ) c where c.merged_into is null
      and coalesce(c.package_wanted_at, c.updated_at) <= ${now}::timestamptz - make_interval(secs => ${QUIET_SECONDS})
      and not ${ANSWERED}
    order by c.due_date, c.id limit ${limit}`.execute(db)
  return rows
}

/** Chargebacks to build for because it is time to look again, although their data is the same, the earliest time first. */
export async function againPackages(
  db: Database,
  now: Date,
  limit: number,
): Promise<{ chargebackId: string; merchantUuid: string }[]> {
  const { rows } = await sql<{ chargebackId: string; merchantUuid: string }>`
    select c.id as "chargebackId", c.merchant_uuid as "merchantUuid" from chargeback c
    where c.status = 'building_evidence' and c.package_again_at <= ${now} and c.merged_into is null and not ${STALE}
      and not ${ANSWERED}
    order by c.package_again_at, c.id limit ${limit}`.execute(db)
  return rows
}

/** The package of chargeback `c` was made by a former version of the build. The condition of an index. */
const OUTDATED = sql<boolean>`(c.package_at is not null and coalesce(c.package_build, 0) < ${BUILD_VERSION})`

/** A submission has fixed what the chargeback's round says. */
const FROZEN = sql<boolean>`coalesce((select true from evidence_package p
  where p.chargeback_id = c.id and p.round = c.round and p.state = 'frozen' limit 1), false)`

/** Chargebacks to build for although their data is the same, the oldest build first, then the next due date. */
export async function outdatedPackages(
  db: Database,
  limit: number,
): Promise<{ chargebackId: string; merchantUuid: string }[]> {
  const { rows } = await sql<{ chargebackId: string; merchantUuid: string }>`
    select c.id as "chargebackId", c.merchant_uuid as "merchantUuid" from chargeback c
    where c.status = 'building_evidence' and ${OUTDATED} and c.merged_into is null and not ${ANSWERED} and not ${FROZEN}
    order by coalesce(c.package_build, 0), c.due_date, c.id limit ${limit}`.execute(db)
  return rows
}

/** What a build is about, and the change that it answers. */
export interface BuildOrder {
  chargebackId: string
  merchantUuid: string
  accountId: string
  integrationId: string
  /** The PSP's id. */
  reference: string
  round: number
  /** The last change, as text, because a `Date` has milliseconds; null when it never changed since it was stored. */
  wantedAt: string | null
  /** Whether the package lacks that change. */
  stale: boolean
}

/** Null when there is nothing to build (any more). */
export async function readBuildOrder(db: Database, chargebackId: string): Promise<BuildOrder | null> {
  const { rows } = await sql<BuildOrder>`
    select c.id as "chargebackId", c.merchant_uuid as "merchantUuid", m.account_id as "accountId",
      c.integration_id as "integrationId", c.chargeback_id as reference, c.round, c.package_wanted_at::text as "wantedAt", ${STALE} as stale
    from chargeback c join merchant m on m.merchant_uuid = c.merchant_uuid
    where c.id = ${chargebackId} and c.status = 'building_evidence' and not ${ANSWERED}
      and (${OUT_OF_DATE} or c.package_again_at is not null or ${OUTDATED} and not ${FROZEN})`.execute(db)
  return rows[0] ?? null
}

/** Its data can't be read or written: it is built again after so many minutes, or once it changes. Others come first. */
export async function postponePackage(db: Database, chargebackId: string, minutes: number): Promise<void> {
  await sql`
    update chargeback set package_wanted_at = clock_timestamp() + make_interval(mins => ${minutes}),
      package_build = case when package_at is not null then ${BUILD_VERSION}::int end
    where id = ${chargebackId} and status = 'building_evidence'`.execute(db)
}

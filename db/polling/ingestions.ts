import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { Psp } from '../../domain/chargeback.ts'
import type { DataType } from '../../domain/raw-data.ts'
import type { Database } from '../core/connect.ts'
import { enqueue } from '../core/outbox.ts'
import { Refusal } from '../core/refusal.ts'
import { type KeyRing, open, sealContext } from '../core/seal.ts'
import { inTransaction } from '../core/transaction.ts'
import { sealTexts } from '../erasure/kept-texts.ts'

/** Raw data that clients posted in a sandbox, each object with its result. */

export type IngestionStatus = 'created' | 'waiting' | 'applied' | 'ignored' | 'failed'

export interface NewIngestion {
  merchantUuid: string
  integrationId: string
  credentialId: string
  dataSource: Psp
  dataSourceVersion: string
  dataType: DataType
  /** The object's own id. */
  reference: string
  /** Ids that a record refers to. */
  about: string[]
  requestTimeStamp: Date
  text: string
}

/**
 * Stores a posted object, sealed, and requests its processing in the same transaction.
 * @returns the outbox message to dispatch after the commit
 */
export function createIngestion(
  db: Database,
  ring: KeyRing,
  given: NewIngestion,
): Promise<{ ingestionId: string; outboxId: bigint }> {
  const { integrationId, reference, about, text } = given
  const ingestionId = uuidv7()
  return inTransaction(db, async (trx) => {
    const outboxId = await enqueue(trx, { kind: 'ingest_raw_data', payload: { ingestionId } })
    const [kept] = await sealTexts(trx, ring, integrationId, [{ references: [reference, ...about], text }])
    await trx
      .insertInto('ingestion')
      .values({
        ingestion_id: ingestionId,
        merchant_uuid: given.merchantUuid,
        integration_id: integrationId,
        credential_id: given.credentialId,
        data_source: given.dataSource,
        data_source_version: given.dataSourceVersion,
        data_type: given.dataType,
        reference,
        about,
        request_timestamp: given.requestTimeStamp,
        ...kept,
      })
      .execute()
    return { ingestionId, outboxId }
  })
}

/** A posted object in progress. */
export interface Ingestion {
  ingestionId: string
  merchantUuid: string
  integrationId: string
  credentialId: string
  dataSource: Psp
  dataType: DataType
  reference: string
  about: string[]
  requestTimeStamp: Date
  /** Null when it was erased. */
  text: string | null
}

/**
 * Locks an ingestion for processing, after its integration's row, so that objects of one integration are applied one
 * after the other. Call it inside a transaction.
 * @returns null when it is done, or does not exist
 */
export async function takeIngestion(db: Database, ring: KeyRing, ingestionId: string): Promise<Ingestion | null> {
  await sql`select from integration where integration_id =
    (select integration_id from ingestion where ingestion_id = ${ingestionId}) for no key update`.execute(db)
  const row = await db
    .selectFrom('ingestion')
    .selectAll()
    .where('ingestion_id', '=', ingestionId)
    .where('status', 'in', ['created', 'waiting'])
    .forUpdate()
    .executeTakeFirst()
  return row
    ? {
        ingestionId,
        merchantUuid: row.merchant_uuid,
        integrationId: row.integration_id,
        credentialId: row.credential_id,
        dataSource: row.data_source as Psp,
        dataType: row.data_type as DataType,
        reference: row.reference,
        about: row.about,
        requestTimeStamp: row.request_timestamp,
        text: row.sealed === null ? null : open(ring, row.sealed, sealContext.rawObject(row.integration_id)),
      }
    : null
}

/** Input of its workflow; null when it is done, or does not exist. */
export async function readUnprocessed(
  db: Database,
  ingestionId: string,
): Promise<Pick<Ingestion, 'merchantUuid' | 'integrationId' | 'dataSource' | 'dataType'> | null> {
  const row = await db
    .selectFrom('ingestion')
    .select(['merchant_uuid', 'integration_id', 'data_source', 'data_type'])
    .where('ingestion_id', '=', ingestionId)
    .where('status', 'in', ['created', 'waiting'])
    .executeTakeFirst()
  if (!row) return null
  return {
    merchantUuid: row.merchant_uuid,
    integrationId: row.integration_id,
    dataSource: row.data_source as Psp,
    dataType: row.data_type as DataType,
  }
}

/** Whether a later version of the same object was applied. */
export async function isOutdated(db: Database, ingestion: Ingestion): Promise<boolean> {
  const row = await applied(db, ingestion)
    .select('ingestion_id')
    .where('request_timestamp', '>', ingestion.requestTimeStamp)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Earlier versions of the object from the same source, oldest first. */
export async function earlierTexts(db: Database, ring: KeyRing, ingestion: Ingestion): Promise<string[]> {
  const context = sealContext.rawObject(ingestion.integrationId)
  const rows = await applied(db, ingestion)
    .select('sealed')
    .where('data_source', '=', ingestion.dataSource)
    .orderBy('request_timestamp')
    .orderBy('ingestion_id')
    .execute()
  return rows.flatMap(({ sealed }) => (sealed === null ? [] : open(ring, sealed, context)))
}

const applied = (db: Database, { integrationId, dataType, reference }: Ingestion) =>
  db
    .selectFrom('ingestion')
    .where('integration_id', '=', integrationId)
    .where('data_type', '=', dataType)
    .where('reference', '=', reference)
    .where('status', '=', 'applied')

export async function finishIngestion(
  db: Database,
  ingestionId: string,
  { status, reason }: { status: Exclude<IngestionStatus, 'created'>; reason: string | null },
): Promise<void> {
  await db
    .updateTable('ingestion')
    .set({ status, reason, processed_at: sql`now()` })
    .where('ingestion_id', '=', ingestionId)
    .execute()
}

/** Chargebacks of the merchant that a record refers to, by any of their ids. */
export async function chargebacksNamed(db: Database, { merchantUuid, about }: Ingestion): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select c.id from chargeback c where c.merchant_uuid = ${merchantUuid} and ${named(sql`${about}::text[]`)}
    order by c.id`.execute(db)
  return rows.map((row) => row.id)
}

const named = (ids: ReturnType<typeof sql>) => sql`(c.chargeback_id = any(${ids}) or c.transaction_id = any(${ids})
  or c.external_transaction_identifier = any(${ids}) or c.arn = any(${ids}))`

/**
 * Requests the processing again of objects whose workflow run is lost, and of records whose chargeback has arrived.
 * @returns how many
 */
export async function restartIngestions(db: Database, quietSeconds: number, limit: number): Promise<number> {
  const { rows } = await sql`
    insert into outbox (kind, payload)
    select 'ingest_raw_data', jsonb_build_object('ingestionId', g.ingestion_id)
    from ingestion g
    where ((g.status = 'created' and g.created_at < now() - make_interval(secs => ${quietSeconds}))
        or (g.status = 'waiting' and exists (
          select from chargeback c where c.merchant_uuid = g.merchant_uuid and ${named(sql`g.about`)})))
      and not exists (select from outbox o
        where o.kind = 'ingest_raw_data' and o.payload ->> 'ingestionId' = g.ingestion_id::text)
    order by g.created_at limit ${limit} returning outbox_id`.execute(db)
  return rows.length
}

/** @throws Refusal ingestion_not_found, also for an ingestion of another merchant */
export async function readIngestion(
  db: Database,
  { merchantUuid, ingestionId }: { merchantUuid: string; ingestionId: string },
) {
  const row = await db
    .selectFrom('ingestion')
    .select(['ingestion_id', 'status', 'reason', 'data_type', 'reference', 'created_at', 'processed_at'])
    .where('merchant_uuid', '=', merchantUuid)
    .where('ingestion_id', '=', ingestionId)
    .executeTakeFirst()
  if (!row) throw ingestionNotFound()
  return row
}

export const ingestionNotFound = () =>
  new Refusal('missing', 'ingestion_not_found', 'There is no ingestion with this id.')

import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { presentFields, type TransactionRecord } from '../../domain/transaction-record.ts'
import type { Database } from '../core/connect.ts'
import { type KeyRing, seal, sealContext } from '../core/seal.ts'
import { inTransaction } from '../core/transaction.ts'
import { personHashes } from '../erasure/persons.ts'
import { openRecord } from './chargeback-data.ts'
import { touchedChargebacks } from './joined-transactions.ts'
import { refreshChargebackData } from './refresh-data.ts'

export interface GivenTransaction {
  merchantUuid: string
  /** Validated; times as ISO 8601 in UTC. */
  record: TransactionRecord
  now: Date
  /** Who sent it, for the timeline. */
  source: string
}

/**
 * Stores data about a purchase, by merchant and the PSP's transaction id: given fields replace stored ones, others
 * stay. Refreshes in the same transaction the chargebacks that it belongs to, or may be evidence for.
 * @returns the record's own id, the same at every change
 */
export function upsertTransaction(
  db: Database,
  ring: KeyRing,
  given: GivenTransaction,
): Promise<{ transactionRecordId: string; created: boolean; changed: boolean }> {
  const { merchantUuid, record } = given
  return inTransaction(db, async (trx) => {
    const found = await lockRecord(trx, ring, given)
    const { recordId: transactionRecordId, created } = found
    const stored = created ? {} : openRecord(ring, transactionRecordId, found.sealed)
    const merged = { ...stored, ...withoutUndefined(record) } as TransactionRecord
    if (!created && isEqual(stored, merged)) return { transactionRecordId, created, changed: false }
    if (!created)
      await trx
        .updateTable('transaction_record')
        .set(columnsOf(ring, transactionRecordId, merged))
        .where('transaction_record_id', '=', transactionRecordId)
        .execute()

    const touched = await touchedChargebacks(trx, {
      merchantUuid,
      transactionId: record.transactionId,
      arns: [stored.transactionArn, merged.transactionArn].filter(isText),
      lastFourDigits: [stored.transactionCardLastFourDigits, merged.transactionCardLastFourDigits].filter(isText),
    })
    await refreshChargebackData(
      trx,
      ring,
      touched.map((one) => one.id),
      {
        now: given.now,
        source: given.source,
        what: created ? 'transaction joined' : 'transaction changed',
        // Not the PSP's transaction id: a shop's own id may be an e-mail address, and timeline rows are never deleted.
        cause: { transactionRecordId, fields: presentFields(record) },
        touched: touched.filter((one) => one.joined).map((one) => one.id),
        purchasedAt: earliest([stored.transactionCreatedDate, merged.transactionCreatedDate].filter(isText)),
      },
    )
    return { transactionRecordId, created, changed: true }
  })
}

/**
 * Reads the record and locks its row. A new record is inserted at once, so that a concurrent post waits for this one.
 */
async function lockRecord(
  db: Database,
  ring: KeyRing,
  { merchantUuid, record }: GivenTransaction,
): Promise<{ recordId: string; sealed: string; created: boolean }> {
  const id = uuidv7()
  const { sealed, data_points, persons, arn, bin, card_last_four_digits, transaction_created_date } = columnsOf(
    ring,
    id,
    withoutUndefined(record) as TransactionRecord,
  )
  const { rows } = await sql<{ recordId: string; sealed: string; created: boolean }>`
    insert into transaction_record as t (transaction_record_id, merchant_uuid, transaction_id, arn, bin,
      card_last_four_digits, transaction_created_date, data_points, sealed, persons)
    values (${id}, ${merchantUuid}, ${record.transactionId}, ${arn}, ${bin}, ${card_last_four_digits},
      ${transaction_created_date}, ${data_points}::text[], ${sealed}, ${persons}::bytea[])
    on conflict (merchant_uuid, transaction_id) do update set transaction_id = t.transaction_id
    returning transaction_record_id as "recordId", sealed, (xmax = 0) as created`.execute(db)
  return rows[0] as { recordId: string; sealed: string; created: boolean }
}

function columnsOf(ring: KeyRing, recordId: string, record: TransactionRecord) {
  const text = JSON.stringify(record)
  return {
    arn: record.transactionArn || null,
    bin: record.transactionCardBin || null,
    card_last_four_digits: record.transactionCardLastFourDigits || null,
    transaction_created_date: record.transactionCreatedDate ? new Date(record.transactionCreatedDate) : null,
    data_points: presentFields(record),
    sealed: seal(ring, text, sealContext.transactionRecord(recordId)),
    persons: personHashes(ring, text),
    updated_at: sql<Date>`now()`,
  }
}

const withoutUndefined = (record: object) =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))

const earliest = (dates: readonly string[]): Date | null =>
  dates.length > 0 ? new Date(Math.min(...dates.map(Date.parse))) : null

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const isEqual = (one: Record<string, unknown>, other: Record<string, unknown>) =>
  Object.keys(one).length === Object.keys(other).length && Object.keys(one).every((name) => one[name] === other[name])

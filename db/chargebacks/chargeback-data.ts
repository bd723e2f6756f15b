import { sql } from 'kysely'
import {
  CANDIDATES,
  compellingEvidenceApplies,
  compellingEvidenceWindow,
} from '../../domain/assessment/compelling-evidence.ts'
import type { DataPoints } from '../../domain/data-points.ts'
import type { Database } from '../core/connect.ts'
import { type KeyRing, open, sealContext } from '../core/seal.ts'
import { lockChargebacks } from './chargebacks.ts'
import { DISPUTES, JOINED } from './joined-transactions.ts'

/** Data about a chargeback beyond its own columns, decrypted. */
export interface ChargebackData {
  id: string
  merchantUuid: string
  cardScheme: string | null
  reasonCode: string | null
  pspStatus: string
  postingDate: Date | null
  /** Names as stored: the union of the sources below. */
  dataPoints: string[]
  contextPoints: string[]
  isEnriched: boolean
  /** Whether the PSP's transaction was read. */
  hasContext: boolean
  signals: string[]
  /** Data points set by the client; null when there are none. */
  client: { names: string[]; points: DataPoints } | null
  /** Joined transaction records, least recently changed first. */
  records: { transactionId: string; names: string[]; fields: DataPoints }[]
  /** Card of the chargeback, under the field names of a transaction record. */
  card: DataPoints
}

interface Row extends Omit<ChargebackData, 'client' | 'records' | 'card'> {
  bin: string | null
  last4: string | null
  clientNames: string[] | null
  clientSealed: string | null
  records: { id: string; transactionId: string; names: string[]; sealed: string }[] | null
}

/**
 * Reads the data of chargebacks in one statement. For a change, a separate statement first locks the rows in the order
 * of their ids, so that the read sees what earlier lock holders committed.
 */
export async function loadChargebackData(
  db: Database,
  ring: KeyRing,
  which: { chargebackIds: readonly string[]; merchantUuid?: string },
  forChange = false,
): Promise<ChargebackData[]> {
  if (which.chargebackIds.length === 0) return []
  if (forChange) await lockChargebacks(db, which.chargebackIds)
  const { rows } = await sql<Row>`
    select c.id, c.merchant_uuid as "merchantUuid", c.card_scheme as "cardScheme", c.reason_code as "reasonCode",
      c.psp_status as "pspStatus", c.posting_date as "postingDate", c.data_points as "dataPoints",
      c.context_points as "contextPoints", c.is_enriched as "isEnriched", c.context_at is not null as "hasContext",
      c.signals, c.bin, c.card_last_four_digits as last4, d.data_points as "clientNames", d.sealed as "clientSealed",
      (select json_agg(json_build_object('id', t.transaction_record_id, 'transactionId', t.transaction_id,
          'names', t.data_points, 'sealed', t.sealed) order by t.updated_at, t.transaction_record_id)
        from transaction_record t where ${JOINED}) as records
    from chargeback c left join client_data d on d.chargeback_id = c.id
    where c.id = any(${[...which.chargebackIds]}::uuid[])
      ${which.merchantUuid ? sql`and c.merchant_uuid = ${which.merchantUuid}` : sql``}
    order by c.id`.execute(db)
  return rows.map(({ bin, last4, clientNames, clientSealed, records, ...row }) => ({
    ...row,
    client:
      clientNames && clientSealed ? { names: clientNames, points: openClientData(ring, row.id, clientSealed) } : null,
    records: (records ?? []).map(({ id, transactionId, names, sealed }) => ({
      transactionId,
      names,
      fields: openRecord(ring, id, sealed),
    })),
    card: { ...(last4 && { transactionCardLastFourDigits: last4 }), ...(bin && { transactionCardBin: bin }) },
  }))
}

export const openClientData = (ring: KeyRing, chargebackId: string, sealed: string): DataPoints =>
  JSON.parse(open(ring, sealed, sealContext.clientData(chargebackId)))

export const openRecord = (ring: KeyRing, recordId: string, sealed: string): DataPoints =>
  JSON.parse(open(ring, sealed, sealContext.transactionRecord(recordId)))

/**
 * Everything known about the disputed purchase, under the field names of `POST /transactions`. Later records override
 * earlier ones; the client's data points override both.
 */
export function disputedPurchase(data: ChargebackData): DataPoints {
  return Object.assign({}, data.card, ...data.records.map((one) => one.fields), data.client?.points)
}

/** The period in which earlier purchases may be compelling evidence; null if it does not apply. */
const compellingWindow = ({ cardScheme, reasonCode, postingDate }: ChargebackData) =>
  compellingEvidenceApplies(cardScheme, reasonCode) ? compellingEvidenceWindow(postingDate) : null

/**
 * Earlier purchases of the merchant by chargeback: same last four digits, within the period, not disputed themselves. Cards
 * with another BIN come last, because there are many. One statement.
 */
export async function earlierPurchases(
  db: Database,
  ring: KeyRing,
  of: readonly ChargebackData[],
  windowOf: (data: ChargebackData) => { from: Date; to: Date } | null = compellingWindow,
): Promise<Map<string, { transactionId: string; fields: DataPoints }[]>> {
  const wanted = of.flatMap((data) => {
    const window = windowOf(data)
    const { transactionCardLastFourDigits: last4, transactionCardBin: bin } = disputedPurchase(data)
    if (!window || typeof last4 !== 'string') return []
    return [{ id: data.id, merchant: data.merchantUuid, last4, bin: typeof bin === 'string' ? bin : '', ...window }]
  })
  const found = new Map<string, { transactionId: string; fields: DataPoints }[]>()
  if (wanted.length === 0) return found
  const { rows } = await sql<{ id: string; recordId: string; transactionId: string; sealed: string }>`
    select w.id, t.transaction_record_id as "recordId", t.transaction_id as "transactionId", t.sealed
    from json_to_recordset(${JSON.stringify(wanted)}::json)
      as w(id uuid, merchant uuid, last4 text, bin text, "from" timestamptz, "to" timestamptz)
    cross join lateral (
      select * from transaction_record t where t.merchant_uuid = w.merchant and t.card_last_four_digits = w.last4
        and t.transaction_created_date between w."from" and w."to"
        and not exists (select from ${DISPUTES})
      order by w.bin <> '' and t.bin is not null and left(t.bin, 6) <> left(w.bin, 6), t.transaction_created_date desc,
        t.transaction_id limit ${CANDIDATES}
    ) t`.execute(db)
  for (const { id, recordId, transactionId, sealed } of rows) {
    const list = found.get(id) ?? []
    list.push({ transactionId, fields: openRecord(ring, recordId, sealed) })
    found.set(id, list)
  }
  return found
}

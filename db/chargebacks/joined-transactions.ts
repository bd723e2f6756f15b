import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'

/**
 * A transaction record belongs to a chargeback by the PSP's transaction id, its other id, or the ARN. The join is
 * computed, not stored, so the order of arrival does not matter. Aliases: `c` chargeback, `t` record.
 */
export const JOINED = sql`t.merchant_uuid = c.merchant_uuid and (t.transaction_id = c.transaction_id
  or t.transaction_id = c.external_transaction_identifier or t.arn = c.arn)`

/**
 * The chargebacks just `written` that have transaction records, and open ones whose compelling evidence such a record
 * was, because that purchase is disputed now. An array, for the statement with the CTE `written`.
 */
export const JOINED_OF_WRITTEN = sql`array(
  select c.id from written c where exists (select from transaction_record t where ${JOINED})
  union select o.id from written c join transaction_record t on ${JOINED} join chargeback o
    on o.merchant_uuid = t.merchant_uuid and o.card_last_four_digits = t.card_last_four_digits
    and o.psp_status = 'needs_response' and o.card_scheme = 'visa' and 'compelling_evidence' = any(o.signals)
)::text[]`

export interface TouchedChargeback {
  id: string
  /** False when it shares only the card. */
  joined: boolean
}

/**
 * Chargebacks affected by a changed record: those it belongs to, and open Visa chargebacks on the same card, where it
 * may be compelling evidence. When an ARN or a card was corrected, pass both values, the wrong one too.
 */
export async function touchedChargebacks(
  db: Database,
  record: { merchantUuid: string; transactionId: string; arns: string[]; lastFourDigits: string[] },
): Promise<TouchedChargeback[]> {
  const { merchantUuid, transactionId, arns, lastFourDigits } = record
  const { rows } = await sql<TouchedChargeback>`
    select id, bool_or(joined) as joined from (
      select c.id, true as joined from chargeback c where c.merchant_uuid = ${merchantUuid}
        and (c.transaction_id = ${transactionId} or c.external_transaction_identifier = ${transactionId}
          or c.arn = any(${arns}::text[]))
      union all
      select c.id, false from chargeback c where c.merchant_uuid = ${merchantUuid}
        and c.psp_status = 'needs_response' and c.card_scheme = 'visa' and c.card_last_four_digits = any(${lastFourDigits}::text[])
      union all
      select c.id, false from chargeback c where c.merchant_uuid = ${merchantUuid}
        and c.psp_status = 'needs_response' and c.card_scheme = 'visa' and c.card_last_four_digits is null
        and exists (select from transaction_record t where ${JOINED} and t.card_last_four_digits = any(${lastFourDigits}::text[]))
    ) as touched group by id order by id`.execute(db)
  return rows
}

/**
 * Chargebacks that lack data of a record from the last minutes: chargeback and record were stored concurrently, so
 * neither transaction saw the other.
 */
export async function missedJoins(db: Database, minutes: number, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct c.id from transaction_record t join chargeback c on ${JOINED}
    where t.updated_at > now() - make_interval(mins => ${minutes})
      and not (c.is_enriched and t.data_points <@ c.data_points)
    limit ${limit}`.execute(db)
  return rows.map((row) => row.id)
}

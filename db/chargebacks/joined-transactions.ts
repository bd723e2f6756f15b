import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'

/**
 * A transaction record belongs to a chargeback by the PSP's transaction id, its other id, or the ARN. The join is
 * computed, not stored, so the order of arrival does not matter. Aliases: `c` chargeback, `t` record. Only as a
 * condition on one row of `c`: a join over it uses the index of the merchant alone and reads all its rows.
 */
export const JOINED = sql`t.merchant_uuid = c.merchant_uuid and (t.transaction_id = c.transaction_id
  or t.transaction_id = c.external_transaction_identifier or t.arn = c.arn)`

/** For joins: the records `t` of chargeback `c`, one branch for each index. A record may come twice. */
export const RECORDS = sql`lateral (
  select r.* from transaction_record r where r.merchant_uuid = c.merchant_uuid
    and r.transaction_id = any(array[c.transaction_id, c.external_transaction_identifier])
  union all
  select r.* from transaction_record r where r.merchant_uuid = c.merchant_uuid and r.arn = c.arn
) t`

/** The chargebacks `c` that record `t` belongs to, in the same way. A chargeback may come twice. */
export const DISPUTES = sql`lateral (
  select d.* from chargeback d where d.merchant_uuid = t.merchant_uuid and d.transaction_id = t.transaction_id
  union all
  select d.* from chargeback d where d.merchant_uuid = t.merchant_uuid and d.external_transaction_identifier = t.transaction_id
  union all
  select d.* from chargeback d where d.merchant_uuid = t.merchant_uuid and d.arn = t.arn
) c`

/**
 * Open chargebacks `o` that record `t` may be compelling evidence for. `offset 0` makes Postgres look them up by card, also
 * without statistics.
 */
export const SAME_CARD = sql`lateral (
  select o.id from chargeback o
  where o.merchant_uuid = t.merchant_uuid and o.card_last_four_digits = t.card_last_four_digits
    and o.psp_status = 'needs_response' and o.card_scheme = 'visa' and 'compelling_evidence' = any(o.signals)
  offset 0) o`

/**
 * The chargebacks just `written` that have transaction records, and open ones whose compelling evidence such a record
 * was, because that purchase is disputed now. An array, for the statement with the CTE `written`.
 */
export const JOINED_OF_WRITTEN = sql`array(
  select c.id from written c cross join ${RECORDS}
  union select o.id from written c cross join ${RECORDS} cross join ${SAME_CARD}
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
  // One branch for each index: an `or` over several columns leaves the choice to statistics.
  const { rows } = await sql<TouchedChargeback>`
    select id, bool_or(joined) as joined from (
      select c.id, true as joined from chargeback c
      where c.merchant_uuid = ${merchantUuid} and c.transaction_id = ${transactionId}
      union all
      select c.id, true from chargeback c
      where c.merchant_uuid = ${merchantUuid} and c.external_transaction_identifier = ${transactionId}
      union all
      select c.id, true from unnest(${arns}::text[]) given(arn)
      join chargeback c on c.merchant_uuid = ${merchantUuid} and c.arn = given.arn
      union all
      select c.id, false from chargeback c where c.merchant_uuid = ${merchantUuid}
        and c.psp_status = 'needs_response' and c.card_scheme = 'visa' and c.card_last_four_digits = any(${lastFourDigits}::text[])
      union all
      select c.id, false from chargeback c where c.merchant_uuid = ${merchantUuid}
        and c.psp_status = 'needs_response' and c.card_scheme = 'visa' and c.card_last_four_digits is null
        and exists (select from ${RECORDS} where t.card_last_four_digits = any(${lastFourDigits}::text[]))
    ) as touched group by id order by id`.execute(db)
  return rows
}

/**
 * Chargebacks that lack data of a record from the last minutes: chargeback and record were stored concurrently, so
 * neither transaction saw the other.
 */
export async function missedJoins(db: Database, minutes: number, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recent as materialized (
      select merchant_uuid, transaction_id, arn, data_points from transaction_record
      where updated_at > now() - make_interval(mins => ${minutes}))
    select distinct c.id from recent t cross join ${DISPUTES}
    where not (c.is_enriched and t.data_points <@ c.data_points)
    limit ${limit}`.execute(db)
  return rows.map((row) => row.id)
}

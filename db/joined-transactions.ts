import { sql } from 'kysely'
import type { Database } from './connect.ts'

/**
 * Transaction records belong to a chargeback by the PSP's id of the transaction, by its other id, or by the ARN. The
 * join is never stored: whichever of the two arrives later, it is there. Aliases: `c` chargeback, `t` record.
 */
export const JOINED = sql`t.merchant_uuid = c.merchant_uuid and (t.transaction_id = c.transaction_id
  or t.transaction_id = c.external_transaction_identifier or t.arn = c.arn)`

export interface TouchedChargeback {
  id: string
  /** False for one that only shares the card. */
  joined: boolean
}

/**
 * Chargebacks that a changed record concerns: those it belongs to (also by an ARN that it had before), and open Visa
 * ones on the same card, whose compelling evidence it may be.
 */
export async function touchedChargebacks(
  db: Database,
  record: { merchantUuid: string; transactionId: string; arns: string[]; cardLastFourDigits: string | null },
): Promise<TouchedChargeback[]> {
  const { merchantUuid, transactionId, arns, cardLastFourDigits: last4 } = record
  const { rows } = await sql<TouchedChargeback>`
    select id, bool_or(joined) as joined from (
      select c.id, true as joined from chargeback c where c.merchant_uuid = ${merchantUuid}
        and (c.transaction_id = ${transactionId} or c.external_transaction_identifier = ${transactionId}
          or c.arn = any(${arns}::text[]))
      union all
      select c.id, false from chargeback c where c.merchant_uuid = ${merchantUuid}
        and c.psp_status = 'needs_response' and c.card_scheme = 'visa' and c.card_last_four_digits = ${last4}
      union all
      select c.id, false from chargeback c where c.merchant_uuid = ${merchantUuid}
        and c.psp_status = 'needs_response' and c.card_scheme = 'visa' and c.card_last_four_digits is null
        and exists (select from transaction_record t where ${JOINED} and t.card_last_four_digits = ${last4})
    ) as touched group by id order by id`.execute(db)
  return rows
}

/** Those of the chargebacks that transaction records belong to. */
export async function withTransactions(db: Database, chargebackIds: readonly string[]): Promise<string[]> {
  if (chargebackIds.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    select c.id from chargeback c where c.id = any(${[...chargebackIds]}::uuid[])
      and exists (select from transaction_record t where ${JOINED}) order by c.id`.execute(db)
  return rows.map((row) => row.id)
}

/**
 * Chargebacks that lack what a record of the last minutes brings: the two were stored at the same moment, so that
 * neither saw the other. Oldest record first.
 */
export async function missedJoins(db: Database, minutes: number, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct c.id from transaction_record t join chargeback c on ${JOINED}
    where t.updated_at > now() - make_interval(mins => ${minutes})
      and not (c.is_enriched and t.data_points <@ c.data_points)
    limit ${limit}`.execute(db)
  return rows.map((row) => row.id)
}

/** Whether the merchant has any record at all: most pages of most merchants need not look. */
export const HAS_TRANSACTIONS = sql<boolean>`exists (select from transaction_record t where t.merchant_uuid = i.merchant_uuid)`

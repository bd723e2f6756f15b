import { sql } from 'kysely'
import { RECORDS, SAME_CARD } from '../chargebacks/joined-transactions.ts'

/** A chargeback to be written, with what may join transaction records to it. */
export interface Joinable {
  id: string
  transactionId: string | null
  externalTransactionIdentifier: string | null
  arn: string | null
}

/**
 * First parts of a statement that writes chargebacks: `held` locks the integration, then `locked` every chargeback that the
 * transaction may change, in the order of their ids: those written, those of `also`, and open ones whose compelling evidence
 * may change with them. Without it, a transaction would lock some of them later, below the ids that it has locked already:
 * docs/decisions/0076.
 */
export function lockedFirst(integrationId: string, written: readonly Joinable[], also: readonly string[] = []) {
  const given = written.map(({ id, transactionId, externalTransactionIdentifier, arn }) => ({
    ...{ id, transaction_id: transactionId, external_transaction_identifier: externalTransactionIdentifier, arn },
  }))
  return sql`
    held as materialized (
      select merchant_uuid, status from integration where integration_id = ${integrationId} for no key update
    ), given as (
      select * from json_to_recordset(${JSON.stringify(given)}::json)
        as g(id uuid, transaction_id text, external_transaction_identifier text, arn text)
    ), concerned as materialized (
      select id from given
      union select unnest(${[...also]}::uuid[])
      union select o.id from (
        select held.merchant_uuid, g.transaction_id, g.external_transaction_identifier, g.arn from held cross join given g
        union all
        select s.merchant_uuid, s.transaction_id, s.external_transaction_identifier, s.arn
        from given g join chargeback s on s.id = g.id
      ) c cross join ${RECORDS} cross join ${SAME_CARD}
    ), locked as materialized (
      select c.id from held cross join concerned join chargeback c on c.id = concerned.id
      order by c.id for no key update of c
    )`
}

/** Condition of the part that writes: the locks come first. */
export const HAS_LOCKS = sql<boolean>`(exists (select from held) and (select count(*) from locked) >= 0)`

import { type Kysely, sql } from 'kysely'

/**
 * For pages that are stored by one prepared statement: docs/decisions/0068.
 *
 * - Removals of data subjects, counted at each integration of the merchant. The statement compares the number under the
 *   lock of its integration's row.
 * - Whether objects of PSPs are compressed. Processes of the version before can't open them: on in a new database only.
 * - Chargebacks of transactions, planned at each call: a plan that is kept from a young table would read all chargebacks
 *   of the merchant. Stable: it doesn't see what its statement writes.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table integration add column erasures bigint not null default 0`.execute(db)
  await sql`alter table deployment add column compresses boolean not null default false`.execute(db)
  await sql`
    create function disputes_of_transactions(merchant uuid, integration uuid, transactions text[])
      returns table (id uuid, chargeback_id text, lifecycle_stage text, transaction_id text)
      language plpgsql stable parallel safe rows 10 as $$
      begin
        return query execute 'select c.* from unnest($3) as t(transaction_id) cross join lateral (
          select id, chargeback_id, lifecycle_stage, transaction_id from chargeback
          where merchant_uuid = $1 and integration_id = $2 and transaction_id = t.transaction_id offset 0) c'
          using merchant, integration, transactions;
      end $$`.execute(db)
}

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}

import { type Kysely, sql } from 'kysely'
import { indexConcurrently } from './concurrently.ts'

/**
 * Events in the scope of an account itself: those of its merchants, so that an endpoint of all merchants can be replayed.
 * And an index of deliveries that did not arrive, which are few next to the others.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`set local lock_timeout = 500`.execute(trx)
    await sql`
      alter policy scope on event using (case scope_kind() when 'system' then true
        when 'merchant' then merchant_uuid = right(current_setting('recoup.scope'), 36)::uuid
        when 'account' then exists (select from merchant of_parent where of_parent.merchant_uuid = event.merchant_uuid)
        else false end)`.execute(trx)
  })
  await indexConcurrently(
    db,
    'webhook_delivery_undelivered',
    `webhook_delivery (endpoint_id, state, delivery_id) where state in ('failed', 'cancelled')`,
  )
}

export const concurrent = true

export async function down(): Promise<void> {
  throw new Error('There is no way back from this migration: restore a backup instead.')
}

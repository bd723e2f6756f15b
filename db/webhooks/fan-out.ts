import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'

/** NOTIFY channel: an endpoint has something to send. */
export const WEBHOOK_CHANNEL = 'webhook'

/** An endpoint, `w`, is due now, or when its pause ends. */
export const DUE_NOW = sql`least(w.due_at, greatest(now(), w.not_before))`

/**
 * One delivery for each event and endpoint that matches it: of its merchant, or of the account for all its merchants.
 * Not for quiet events, and not for those of a merchant after its deactivation, except that event itself. Call it in the
 * transaction that gave the events their positions.
 * @param positions of the events: `after` < position ≤ `to`
 */
export async function fanOut(db: Database, { after, to }: { after: bigint; to: bigint }): Promise<void> {
  const { rows } = await sql<{ made: number }>`
    with made as (
      insert into webhook_delivery (endpoint_id, event_position, event_id, type)
      select w.endpoint_id, e.position, e.event_id, e.type
      from (select * from event where position > ${after} and position <= ${to} offset 0) e
      cross join lateral (
        select account_id, deactivated_at from merchant where merchant_uuid = e.merchant_uuid limit 1) m
      cross join lateral (
        select endpoint_id, events from webhook_endpoint
        where account_id = m.account_id and (merchant_uuid = e.merchant_uuid or merchant_uuid is null)
          and deleted_at is null and disabled_at is null offset 0) w
      where not e.quiet
        and (m.deactivated_at is null or e.occurred_at <= m.deactivated_at or e.type = 'merchant.deactivated')
        and exists (select from unnest(w.events) p
          where p in ('*', e.type) or right(p, 2) = '.*' and starts_with(e.type, left(p, -1)))
      order by e.position
      returning endpoint_id
    ), due as (
      update webhook_endpoint w set due_at = ${DUE_NOW}
      where w.endpoint_id in (select endpoint_id from made)
    )
    select count(*)::int as made from made`.execute(db)
  if ((rows[0]?.made ?? 0) > 0) await wakeEngines(db)
}

/** At the commit. */
export async function wakeEngines(db: Database): Promise<void> {
  await sql`select pg_notify(${WEBHOOK_CHANNEL}, '')`.execute(db)
}

import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { DELIVERY_DAYS, type DeliveryState, TEST_EVENT } from '../../domain/webhooks/endpoint.ts'
import type { Database } from '../core/connect.ts'
import { Refusal } from '../core/refusal.ts'
import { type EndpointOwner, lockEndpoint, readEndpoint, recordChange } from './endpoints.ts'
import { DUE_NOW, wakeEngines } from './fan-out.ts'

export interface DeliveryRecord {
  deliveryId: bigint
  eventId: string
  type: string
  state: DeliveryState
  replayed: boolean
  createdAt: Date
  finishedAt: Date | null
  /** Null unless it waits. */
  nextAttemptAt: Date | null
  tries: { at: string; status?: number; kind?: string; durationMs: number }[]
}

/**
 * Newest first, older than `before`. Returns `limit` + 1 rows when there are more.
 * @throws Refusal webhook_endpoint_not_found
 */
export async function listDeliveries(
  db: Database,
  owner: EndpointOwner,
  which: { endpointId: string; state?: DeliveryState | undefined; before?: bigint | undefined; limit: number },
): Promise<DeliveryRecord[]> {
  const { endpointId, state, before = null, limit } = which
  await readEndpoint(db, owner, endpointId)
  const { rows } = await sql<DeliveryRecord>`
    select delivery_id as "deliveryId", event_id as "eventId", type, state, replayed, created_at as "createdAt",
      finished_at as "finishedAt", case when state = 'pending' then next_attempt_at end as "nextAttemptAt", tries
    from webhook_delivery
    where endpoint_id = ${endpointId} ${state === undefined ? sql`` : sql`and state = ${sql.lit(state)}`}
      and (${before}::bigint is null or delivery_id < ${before})
    order by delivery_id desc limit ${limit + 1}`.execute(db)
  return rows
}

/** Has a test sent at once, before everything else, also to a disabled endpoint. @returns the id of the delivery */
export async function sendTest(
  db: Database,
  of: EndpointOwner & { endpointId: string },
): Promise<{ deliveryId: bigint; eventId: string }> {
  const { endpointId } = of
  await lockEndpoint(db, of, endpointId)
  const eventId = uuidv7()
  const { rows } = await sql<{ deliveryId: bigint }>`
    insert into webhook_delivery (endpoint_id, event_id, type, next_attempt_at)
    values (${endpointId}, ${eventId}, ${TEST_EVENT}, 'epoch') returning delivery_id as "deliveryId"`.execute(db)
  await sql`update webhook_endpoint set not_before = null, due_at = now()
    where endpoint_id = ${endpointId} and account_id = ${of.accountId}`.execute(db)
  await wakeEngines(db)
  return { deliveryId: rows[0]?.deliveryId as bigint, eventId }
}

export interface Replay {
  /** Events from this time on, whether they were delivered or not. */
  since?: Date | undefined
  /** Deliveries that failed or were cancelled from this time on. */
  failedSince?: Date | undefined
  deliveryIds?: readonly bigint[] | undefined
  /** Patterns of event types; default: those of the endpoint. */
  types?: readonly string[] | undefined
  /** For the trail. */
  actor: string
}

const MATCHES = (type: string, patterns: ReturnType<typeof sql>) => sql`exists (select from unnest(${patterns}) p
  where p in ('*', ${sql.ref(type)}) or right(p, 2) = '.*' and starts_with(${sql.ref(type)}, left(p, -1)))`

/**
 * Sends events of the last 30 days again, under their ids, after all new ones. An event that waits already is left out.
 * @returns the number of deliveries @throws Refusal webhook_endpoint_not_found, webhook_endpoint_disabled
 */
export async function replayEvents(
  db: Database,
  of: EndpointOwner & { endpointId: string },
  replay: Replay,
): Promise<number> {
  const { endpointId, accountId, merchantUuid } = of
  const { since = null, failedSince = null, deliveryIds = null, types = null, actor } = replay
  const { disabled } = await lockEndpoint(db, of, endpointId)
  if (disabled)
    throw new Refusal('invalid', 'webhook_endpoint_disabled', 'The webhook endpoint is disabled. Enable it first.')
  const patterns = sql`coalesce(${types === null ? null : [...types]}::text[], w.events)`
  const events = sql`
    select e.position, e.event_id, e.type from webhook_endpoint w
    join merchant m on m.account_id = ${accountId} and (${merchantUuid}::uuid is null or m.merchant_uuid = ${merchantUuid}::uuid)
    join event e on e.merchant_uuid = m.merchant_uuid
    where w.endpoint_id = ${endpointId} and not e.quiet and e.occurred_at >= ${since} and ${MATCHES('e.type', patterns)}`
  const deliveries = sql`
    select distinct d.event_position as position, d.event_id, d.type from webhook_delivery d
    join webhook_endpoint w on w.endpoint_id = d.endpoint_id
    where d.endpoint_id = ${endpointId} and d.event_position is not null
      and ${types === null ? sql`true` : MATCHES('d.type', patterns)}
      and ${deliveryIds === null ? sql`d.state in ('failed', 'cancelled') and d.finished_at >= ${failedSince}` : sql`d.delivery_id = any(${deliveryIds.map(String)}::bigint[])`}`
  const { rows } = await sql<{ count: number }>`
    with chosen as (${since === null ? deliveries : events}), waiting as materialized (
      select event_position from webhook_delivery
      where endpoint_id = ${endpointId} and state = 'pending' and event_position is not null
    ), made as (
      insert into webhook_delivery (endpoint_id, event_position, event_id, type, replayed)
      select ${endpointId}, c.position, c.event_id, c.type, true from chosen c
      cross join lateral (select occurred_at from event where position = c.position limit 1) e
      where e.occurred_at >= now() - make_interval(days => ${DELIVERY_DAYS})
        -- One look at what waits, for all of them and also without statistics.
        and c.position not in (select event_position from waiting)
      order by c.position returning 1
    ), due as (
      update webhook_endpoint w set due_at = ${DUE_NOW}
      where w.endpoint_id = ${endpointId} and exists (select from made)
    )
    select count(*)::int as count from made`.execute(db)
  const count = rows[0]?.count ?? 0
  await recordChange(db, { endpointId, actor, what: 'replayed', details: { count, since, failedSince } })
  if (count > 0) await wakeEngines(db)
  return count
}

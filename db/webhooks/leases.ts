import { sql } from 'kysely'
import type { Payload } from '../../domain/webhooks/endpoint.ts'
import type { EndpointAfter } from '../../domain/webhooks/turn-outcome.ts'
import type { Database } from '../core/connect.ts'
import { DUE_NOW } from './fan-out.ts'

/** Seconds; longer than the longest turn. */
const LEASE_SECONDS = 60
/** A delivery is given up after this time, also when its receiver was never reached. */
const GIVEN_UP_HOURS = 76

/** An endpoint that this process alone sends to, until the lease ends. */
export interface LeasedEndpoint {
  endpointId: string
  accountId: string
  merchantUuid: string | null
  url: string
  payload: Payload
  keysSealed: string
  /** Keys before the last rotation, while they still sign. */
  oldKeysSealed: string | null
  failures: number
  failingSince: Date | null
  disabled: boolean
  /** Number of the lease. */
  lease: bigint
}

/**
 * Leases the endpoint that has waited longest. `due_at` becomes the end of the lease, so that the endpoint of a process
 * that died is due again then; an event meanwhile sets it to an earlier time, which returning the lease keeps.
 */
export async function leaseEndpoint(db: Database): Promise<LeasedEndpoint | null> {
  const { rows } = await sql<LeasedEndpoint>`
    update webhook_endpoint e set lease = lease + 1, lease_until = now() + make_interval(secs => ${LEASE_SECONDS}),
      due_at = now() + make_interval(secs => ${LEASE_SECONDS}),
      old_keys_sealed = case when old_keys_until > now() then old_keys_sealed end
    from (
      select endpoint_id from webhook_endpoint
      where due_at <= now() and (lease_until is null or lease_until <= now()) and deleted_at is null
      order by due_at limit 1 for no key update skip locked
    ) x where x.endpoint_id = e.endpoint_id
    returning e.endpoint_id as "endpointId", account_id as "accountId", merchant_uuid as "merchantUuid", url,
      case when (select settings ->> 'webhookPayload' from account a where a.account_id = e.account_id) = 'thin'
        then 'thin' else payload end as payload,
      keys_sealed as "keysSealed", old_keys_sealed as "oldKeysSealed", failures, failing_since as "failingSince",
      disabled_at is not null as disabled, lease`.execute(db)
  return rows[0] ?? null
}

export interface DueDelivery {
  deliveryId: bigint
  /** Null: a test. */
  position: bigint | null
  eventId: string
  type: string
  replayed: boolean
  /** Made so far. */
  attempts: number
}

/** Deliveries to send now: new ones first, then replayed ones, the oldest first. */
export async function dueDeliveries(db: Database, endpointId: string, limit: number): Promise<DueDelivery[]> {
  const due = (replayed: boolean) => sql`
    (select * from webhook_delivery where endpoint_id = ${endpointId} and state = 'pending'
      and replayed = ${replayed} and next_attempt_at <= now() order by next_attempt_at, delivery_id limit ${limit})`
  const { rows } = await sql<DueDelivery>`
    select delivery_id as "deliveryId", event_position as position, event_id as "eventId", type, replayed, attempts
    from (${due(false)} union all ${due(true)}) d order by replayed, next_attempt_at, delivery_id limit ${limit}`.execute(
    db,
  )
  return rows
}

/** Deliveries that one statement ends. */
const GIVEN_UP_AT_ONCE = 1_000

/**
 * Ends deliveries of a failing endpoint that have waited too long; those of others end by their attempts. They are the
 * first in the order in which they would be tried, so at most a thousand that have waited for less are read.
 */
export async function failOld(db: Database, endpointId: string): Promise<number> {
  let failed = 0
  for (const replayed of [false, true])
    for (let more = true; more; ) {
      const { numAffectedRows = 0n } = await sql`
        update webhook_delivery set state = 'failed', finished_at = now()
        where state = 'pending' and delivery_id = any(array(
          select delivery_id from (
            select delivery_id, created_at from webhook_delivery
            where endpoint_id = ${endpointId} and state = 'pending' and replayed = ${replayed}
            order by next_attempt_at, delivery_id limit ${GIVEN_UP_AT_ONCE}) first
          where created_at < now() - make_interval(hours => ${GIVEN_UP_HOURS})))`.execute(db)
      failed += Number(numAffectedRows)
      more = numAffectedRows === BigInt(GIVEN_UP_AT_ONCE)
    }
  return failed
}

/** One attempt, and what follows for its delivery. */
export interface AttemptResult {
  deliveryId: bigint
  state: 'pending' | 'delivered' | 'failed'
  /** Until the next attempt; 0 when there is none. */
  nextSeconds: number
  attempt: { at: Date; status?: number; kind?: string; durationMs: number }
}

/** The earliest pending delivery of the endpoint `w`, or the event that came during the turn. */
const WAITING = sql`least(next.at, case when w.due_at < w.lease_until then w.due_at end)`

/**
 * Stores what a turn did and returns the lease, in one statement. Results of a delivery that was cancelled meanwhile are
 * dropped, and so is everything if the lease ended and another process has the endpoint.
 */
export async function returnLease(
  db: Database,
  of: { endpointId: string; lease: bigint },
  attempts: readonly AttemptResult[],
  endpoint: EndpointAfter,
): Promise<void> {
  const rows = attempts.map(({ deliveryId, attempt, ...rest }) => ({
    ...rest,
    id: String(deliveryId),
    attempt: { ...attempt, at: attempt.at.toISOString() },
  }))
  const { succeeded, failures, lastFailure, pauseSeconds } = endpoint
  await sql`
    with mine as (
      select from webhook_endpoint where endpoint_id = ${of.endpointId} and lease = ${of.lease} for no key update
    ), results as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as r(id bigint, state text, "nextSeconds" float8, attempt jsonb)
    ), written as (
      update webhook_delivery d set state = r.state, attempts = d.attempts + 1,
        next_attempt_at = now() + make_interval(secs => r."nextSeconds"),
        finished_at = case when r.state <> 'pending' then now() end,
        tries = d.tries || r.attempt
      from results r where d.delivery_id = r.id and d.endpoint_id = ${of.endpointId} and d.state = 'pending'
        and exists (select from mine)
      returning d.delivery_id
    ), next as (
      -- This statement does not see its own updates: the rows of the turn are compared by their results.
      select min(at) as at from (
        (select next_attempt_at as at from webhook_delivery where endpoint_id = ${of.endpointId} and state = 'pending'
          and not replayed and delivery_id not in (select id from results) order by next_attempt_at limit 1)
        union all
        (select next_attempt_at from webhook_delivery where endpoint_id = ${of.endpointId} and state = 'pending'
          and replayed and delivery_id not in (select id from results) order by next_attempt_at limit 1)
        union all
        select now() + make_interval(secs => "nextSeconds") from results where state = 'pending'
      ) waiting
    )
    update webhook_endpoint w set lease_until = null, failures = ${failures},
      failing_since = case when ${failures}::int = 0 then null when ${succeeded}::boolean then now()
        else coalesce(failing_since, now()) end,
      last_success_at = case when ${succeeded}::boolean then now() else last_success_at end,
      last_failure_at = case when ${lastFailure !== null}::boolean then now() else last_failure_at end,
      last_failure_status = case when ${lastFailure !== null}::boolean then ${lastFailure?.status ?? null}::smallint
        else last_failure_status end,
      last_failure_kind = case when ${lastFailure !== null}::boolean then ${lastFailure?.kind ?? null}::text
        else last_failure_kind end,
      not_before = now() + make_interval(secs => ${pauseSeconds}),
      due_at = case when ${WAITING} is not null then greatest(${WAITING}, now() + make_interval(secs => ${pauseSeconds})) end
    -- Counted so that the attempts are written first: the lock of a row that this statement has changed finds nothing.
    from next, (select count(*) from written) attempts where w.endpoint_id = ${of.endpointId} and w.lease = ${of.lease}`.execute(
    db,
  )
}

/** The net under lost wake-ups: endpoints that have something to send and no time for it. @returns their number */
export async function wakeForgotten(db: Database): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update webhook_endpoint w set due_at = ${DUE_NOW}
    where w.due_at is null and w.deleted_at is null and exists (
      select from webhook_delivery d where d.endpoint_id = w.endpoint_id and d.state = 'pending')`.execute(db)
  return Number(numAffectedRows)
}

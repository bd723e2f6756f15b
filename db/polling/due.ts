import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../core/connect.ts'
import { EVENTS_OF_FIRST_LOADS, FIRST_LOADED_AT } from './first-load.ts'
import type { Lease, VersionedCursor } from './lease.ts'
import { nextSlot, type Rhythm } from './slots.ts'

/** Polls by shards, see docs/decisions/0046: `next_poll_at` is null for an integration that a schedule polls. */

/** Longer than a shard's run takes new work, and than any pause between two pages after that, seconds. */
const LEASE_SECONDS = 150
/** The longest time between two tries of a poll that fails, ms. */
const LONGEST_BACKOFF_MS = 5 * 60 * 1000

/** A leased integration. */
export interface DuePoll extends Lease {
  merchantUuid: string
  dueAt: Date
  /** When it would be polled again if nobody completed this poll; a later request for a poll changes it. */
  retryAt: Date
}

export interface LeaseRequest {
  /** Run of the shard. */
  owner: string
  limit: number
  /** First delay after a failure, ms; doubles. */
  retryMs: number
  /** The most of one merchant; default all. */
  perMerchant?: number
  /** Merchants whose integrations stay due. */
  without?: readonly string[]
  /** A retried attempt takes over what the one before had leased, unless it has it in hand itself. */
  takeover: { held: readonly string[] } | null
}

/** Takes the integrations that are due, those that have waited longest first. */
export async function leaseDue(
  db: Database,
  { owner, limit, retryMs, perMerchant = limit, without = [], takeover }: LeaseRequest,
): Promise<DuePoll[]> {
  const earlier = takeover
    ? sql`or lease_owner = ${owner} and integration_id <> all(${[...takeover.held]}::uuid[])`
    : sql``
  const { rows } = await sql<DuePoll>`
    with due as (
      select integration_id, merchant_uuid, next_poll_at from integration
      where next_poll_at <= now() and next_poll_at is not null and status = 'SUCCESSFUL' and not paused
        and (deactivation_date is null or deactivation_date > now())
        and (lease_until is null or lease_until < now() ${earlier})
        and merchant_uuid <> all(${[...without]}::uuid[])
      order by next_poll_at limit ${limit} for update skip locked
    ), shared as (
      select *, row_number() over (partition by merchant_uuid order by next_poll_at) as place from due
    )
    update integration i set lease_owner = ${owner}, lease_until = now() + make_interval(secs => ${LEASE_SECONDS}),
      fence = i.fence + 1, poll_failures = i.poll_failures + 1,
      next_poll_at = date_trunc('milliseconds', now() + ${backoff(sql`i.poll_failures + 1`, retryMs)})
    from shared where i.integration_id = shared.integration_id and shared.place <= ${perMerchant}
    returning i.integration_id as "integrationId", i.merchant_uuid as "merchantUuid", ${owner} as owner, i.fence,
      i.next_poll_at as "retryAt", shared.next_poll_at as "dueAt"`.execute(db)
  return rows.sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime())
}

const backoff = (failures: RawBuilder<unknown>, retryMs: number) =>
  sql`make_interval(secs => least(${retryMs}::float8 * 2 ^ least(${failures} - 1, 20), ${LONGEST_BACKOFF_MS}) / 1000)`

/**
 * How a poll came out. `more`: its time is over and its list is not, or transactions are left to read. `returned`: nobody
 * began it, or it was interrupted.
 */
export interface EndedPoll {
  poll: DuePoll
  result: 'done' | 'stopped' | 'more' | 'failed' | 'returned'
  /** It was read to the end of its list. */
  listed: boolean
  /** What ended it, if that isn't stored already. */
  reason: string | null
  /** A cursor that is to be stored with the result; null if it has not moved, or is stored already. */
  moved: VersionedCursor | null
}

/**
 * Records polls and gives their leases back, in one statement. Nothing is recorded of one whose lease was taken over.
 * @param workflowId of the shard
 */
export async function recordPolls(
  db: Database,
  ended: readonly EndedPoll[],
  { workflowId, retryMs, everyMs }: Rhythm & { workflowId: string; retryMs: number },
): Promise<void> {
  const column = <Value>(of: (one: EndedPoll) => Value) => ended.map(of)
  await sql`
    with ended as (
      select * from unnest(${column(({ poll }) => poll.integrationId)}::uuid[], ${column(({ poll }) => String(poll.fence))}::bigint[],
        ${column(({ poll }) => poll.retryAt)}::timestamptz[], ${column(({ result }) => result)}::text[],
        ${column(({ listed }) => listed)}::boolean[], ${column(({ reason }) => reason)}::text[],
        ${column(({ moved }) => moved && JSON.stringify(moved.value))}::text[],
        ${column(({ moved }) => moved?.version ?? null)}::int[])
        as e (integration_id, fence, retry_at, result, listed, reason, cursor, cursor_version)
    ), held as materialized (
      select integration_id from integration where integration_id in (select integration_id from ended)
      order by integration_id for no key update
    ), updated as (
    update integration i set lease_owner = null, lease_until = null,
      cursor = coalesce(e.cursor::jsonb, i.cursor), cursor_version = coalesce(e.cursor_version, i.cursor_version),
      poll_workflow = case when e.result = 'returned' then i.poll_workflow else ${workflowId} end,
      polled_at = case when e.listed or e.reason is not null then now() else i.polled_at end,
      last_successful_poll_at = case when e.listed then now() else i.last_successful_poll_at end,
      first_loaded_at = case when e.listed then ${FIRST_LOADED_AT} else i.first_loaded_at end,
      poll_error = case when e.listed then null else coalesce(e.reason, i.poll_error) end,
      authentication_failures = case when e.listed then 0 else i.authentication_failures end,
      poll_failures = case e.result when 'failed' then i.poll_failures
        when 'returned' then greatest(i.poll_failures - 1, 0) else 0 end,
      next_poll_at = case
        when i.next_poll_at is null then null
        when e.result in ('more', 'returned') then least(i.next_poll_at, now())
        when i.next_poll_at <> e.retry_at then i.next_poll_at
        when e.result = 'failed' then now() + ${backoff(sql`i.poll_failures`, retryMs)}
        else ${nextSlot({ everyMs })} end
    from ended e join held using (integration_id)
    where i.integration_id = e.integration_id and i.fence = e.fence and i.lease_owner is not null
    returning i.integration_id, i.merchant_uuid, i.first_loaded_at
    ) ${EVENTS_OF_FIRST_LOADS}`.execute(db)
}

/** Channel that one waiting shard of each worker wakes up on. */
export const DUE_CHANNEL = 'poll_due'

/**
 * Has an integration polled as soon as possible, and once more if it is being polled now.
 * @returns null when shards don't poll it
 */
export async function hurryPoll(db: Database, integrationId: string): Promise<{ paused: boolean } | null> {
  const { rows } = await sql<{ paused: boolean }>`
    with hurried as (
      update integration set next_poll_at =
        case when lease_until > now() then now() else least(next_poll_at, now()) end
      where integration_id = ${integrationId} and next_poll_at is not null and status = 'SUCCESSFUL'
      returning paused
    )
    select paused, pg_notify(${DUE_CHANNEL}, '') from hurried`.execute(db)
  return rows[0] ? { paused: rows[0].paused } : null
}

/** Seconds that the most overdue poll has waited for a shard; 0 when none is due. */
export async function pollLagSeconds(db: Database): Promise<number> {
  const { rows } = await sql<{ lag: number }>`
    select coalesce(greatest(extract(epoch from now() - min(next_poll_at)), 0), 0)::float8 as lag from integration
    where next_poll_at is not null and status = 'SUCCESSFUL' and not paused`.execute(db)
  return rows[0]?.lag ?? 0
}

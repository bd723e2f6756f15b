import { type RawBuilder, sql } from 'kysely'
import type { TimelineFact } from '../../domain/events/rules.ts'
import type { Database } from '../core/connect.ts'

/** A timeline row without a position. */
export interface FreshRow extends TimelineFact {
  id: bigint
  merchantUuid: string
  chargebackId: string
  /** Transaction that wrote it. */
  xid: string
  when: Date
  /** Written before the first load of its integration was complete, or about a transaction of that load. */
  isFirstLoad: boolean
}

export interface Fresh {
  rows: FreshRow[]
  /** All rows of transactions below have a position once these have. */
  nextXid: string
  /** More rows are ready. */
  hasMore: boolean
}

/** Fields of `before` and `after` that the rules read. */
const READ = ['pspStatus', 'lifecycleStage', 'dueDate', 'acceptanceId', 'submitEvidenceId']
const readOf = (column: string) =>
  sql`jsonb_build_object(${sql.raw(READ.map((name) => `'${name}', ${column} -> '${name}'`).join(', '))})`

/** Rows of `t` with what the rules need. The subqueries are looked up row by row, also without statistics. */
const rowsOf = (source: RawBuilder<unknown>) => sql<FreshRow>`
  select t.timeline_event_id as id, t.merchant_uuid as "merchantUuid", t.chargeback_id as "chargebackId",
    t.xid::text as xid, t."when", t.what, ${readOf('t.before')} as before, ${readOf('t.after')} as after,
    i.last_successful_poll_at is null
      or coalesce(case t.what when 'enriched' then c.created_at else t."when" end < i.first_loaded_at, false) as "isFirstLoad"
  from (${source}) t
  cross join lateral (select created_at, integration_id from chargeback where id = t.chargeback_id limit 1) c
  cross join lateral (
    select last_successful_poll_at, first_loaded_at from integration where integration_id = c.integration_id limit 1) i
  order by t.timeline_event_id`

const OF_THIS_CLUSTER = sql`t.timeline_event_id > (select restored_timeline_event from event_state)`

/** Rows without a position of the cluster's own transactions. `s` is the state. */
const AHEAD = sql`t.xid >= s.next_xid and t.timeline_event_id > s.restored_timeline_event`
const HORIZON = sql`pg_snapshot_xmin(pg_current_snapshot())`

/** Whether anything waits for a position. One read, so that an idle sequencer costs nothing else. */
export async function hasFresh(db: Database): Promise<boolean> {
  const { rows } = await sql<{ fresh: boolean }>`
    select exists (select from timeline_event t where ${AHEAD} and t.xid < ${HORIZON})
      or exists (select from event_line)
      or s.system_identifier is distinct from (select system_identifier from pg_control_system()) as fresh
    from event_state s`.execute(db)
  return rows[0]?.fresh ?? false
}

/** Seconds that the oldest timeline row without a position has waited; 0 when there is none. */
export async function sequencerLag(db: Database): Promise<number> {
  const { rows } = await sql<{ lag: number }>`
    select coalesce((select extract(epoch from now() - t."when") from timeline_event t where ${AHEAD}
      order by t.xid, t.timeline_event_id limit 1), 0)::float8 as lag from event_state s`.execute(db)
  return rows[0]?.lag ?? 0
}

/**
 * The next rows of transactions that ended before every transaction that is still running, whole transactions, in the
 * order of the rows. A chargeback's rows are in the order in which its row lock was held, which is not the order of the
 * transactions: one that waited for the lock began earlier. So these rows bring the earlier rows of their chargebacks
 * along. Call it with the state locked.
 */
export async function readFresh(db: Database, limit: number): Promise<Fresh> {
  const { rows: bounds } = await sql<{ last: string | null; horizon: string }>`
    select (select t.xid::text from timeline_event t where ${AHEAD} and t.xid < ${HORIZON}
      order by t.xid, t.timeline_event_id offset ${limit - 1} limit 1) as last, ${HORIZON}::text as horizon
    from event_state s`.execute(db)
  const { last, horizon } = bounds[0] as (typeof bounds)[number]
  const nextXid = last === null ? horizon : String(BigInt(last) + 1n)
  const { rows } = await sql<FreshRow>`
    with ready as materialized (
      select t.* from timeline_event t, event_state s where ${AHEAD} and t.xid < ${nextXid}::xid8
    ), early as (
      select distinct t.chargeback_id, t.xid
      from (select chargeback_id, max(timeline_event_id) as newest from ready group by chargeback_id) r
      cross join lateral (
        select t.chargeback_id, t.xid from timeline_event t
        where t.chargeback_id = r.chargeback_id and t.timeline_event_id < r.newest and t.xid >= ${nextXid}::xid8
          and ${OF_THIS_CLUSTER} offset 0) t
    ) ${rowsOf(sql`select * from ready union all select t.* from early cross join lateral (
      select t.* from timeline_event t where t.chargeback_id = early.chargeback_id and t.xid = early.xid
        and ${OF_THIS_CLUSTER} offset 0) t`)}`.execute(db)
  return { rows, nextXid, hasMore: last !== null }
}

/** ms to wait for the writers of the timeline: every other one queues up behind a waiting lock. */
const LOCK_TIMEOUT_MS = 500

/**
 * All rows without a position after the database was copied into another cluster, whose transaction ids begin anew.
 * Waits for the writers, so that none of them holds a row back. Call it with the state locked.
 */
export async function readRestored(db: Database): Promise<Fresh & { newest: bigint }> {
  await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT_MS)}`.execute(db)
  await sql`lock table timeline_event in share row exclusive mode`.execute(db)
  const { rows } = await sql<FreshRow>`${rowsOf(sql`
    select t.* from timeline_event t, event_state s where t.timeline_event_id > s.last_timeline_event and t.xid is not null
    union all
    select t.* from timeline_event t, event_state s where ${AHEAD} and t.timeline_event_id <= s.last_timeline_event`)}`.execute(
    db,
  )
  const { rows: ends } = await sql<{ newest: bigint; horizon: string }>`
    select coalesce(max(timeline_event_id), 0) as newest, ${HORIZON}::text as horizon from timeline_event`.execute(db)
  const { newest, horizon } = ends[0] as (typeof ends)[number]
  return { rows, nextXid: horizon, hasMore: false, newest }
}

import { sql } from 'kysely'
import type { EventType } from '../../domain/events/catalogue.ts'
import type { Database } from '../core/connect.ts'

/** Channel that announces new events, with the merchant that has some; without a merchant there are many. */
export const EVENT_CHANNEL = 'event'
/** Merchants that one batch names. */
const NAMED = 50

/** Positions of events that a failover or a restore may have lost: a consumer's cursor must not be ahead of new ones. */
const LOST_POSITIONS = 1_000_000n

/** The sequencer's state, and the cluster that the database is in now. */
export interface EventState {
  position: bigint
  systemIdentifier: bigint | null
  walTimeline: string | null
  currentIdentifier: bigint
  currentTimeline: string
}

/** Locks the state until the transaction ends. @returns null when another sequencer has it */
export async function lockEventState(db: Database): Promise<EventState | null> {
  const { rows } = await sql<EventState>`
    select s.position, s.system_identifier as "systemIdentifier", s.wal_timeline as "walTimeline",
      (select system_identifier from pg_control_system()) as "currentIdentifier",
      left(pg_walfile_name(pg_current_wal_lsn()), 8) as "currentTimeline"
    from event_state s for update skip locked`.execute(db)
  return rows[0] ?? null
}

/** Whether the database was copied to another cluster, where transaction ids begin anew. */
export const isOtherCluster = ({ systemIdentifier, currentIdentifier }: EventState): boolean =>
  systemIdentifier !== null && systemIdentifier !== currentIdentifier

/** The position before the next event. */
export function lastPosition(state: EventState): bigint {
  const mayHaveLost =
    isOtherCluster(state) || (state.walTimeline !== null && state.walTimeline !== state.currentTimeline)
  return state.position + (mayHaveLost ? LOST_POSITIONS : 0n)
}

/** An event without a position: ids only. */
export interface NewEvent {
  eventId: string
  merchantUuid: string
  type: EventType | string
  subject: string
  chargebackId: string | null
  timelineFrom: bigint | null
  timelineTo: bigint | null
  quiet: boolean
  occurredAt: Date
}

/** Takes the next events without a timeline. Call it with the state locked. */
export async function takeLines(db: Database, limit: number): Promise<Omit<NewEvent, 'eventId'>[]> {
  const { rows } = await sql<Omit<NewEvent, 'eventId'> & { id: bigint }>`
    delete from event_line where event_line_id in (
      select event_line_id from event_line order by event_line_id limit ${limit})
    returning event_line_id as id, merchant_uuid as "merchantUuid", type, subject, null as "chargebackId",
      null as "timelineFrom", null as "timelineTo", false as quiet, occurred_at as "occurredAt"`.execute(db)
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1)).map(({ id: _, ...line }) => line)
}

/**
 * Gives the events the positions after `after`, in their order and without gaps, and stores the state. An event that has
 * a position already is left out.
 * @returns the last position
 */
export async function writeEvents(
  db: Database,
  events: readonly NewEvent[],
  state: EventState & { after: bigint; nextXid: string; restored: bigint | null },
): Promise<bigint> {
  const rows = events.map((one) => ({
    ...one,
    timelineFrom: one.timelineFrom === null ? null : String(one.timelineFrom),
    timelineTo: one.timelineTo === null ? null : String(one.timelineTo),
  }))
  const { rows: written } = await sql<{ position: bigint }>`
    with given as (
      select * from rows from (json_to_recordset(${JSON.stringify(rows)}::json)
        as ("eventId" uuid, "merchantUuid" uuid, type text, subject uuid, "chargebackId" uuid, "timelineFrom" bigint,
          "timelineTo" bigint, quiet boolean, "occurredAt" timestamptz)) with ordinality
        as g(event_id, merchant_uuid, type, subject, chargeback_id, timeline_from, timeline_to, quiet, occurred_at, n)
    ), fresh as (
      select * from given where timeline_from is null
        or not exists (select from event e where e.timeline_from = given.timeline_from)
    ), written as (
      insert into event (position, event_id, merchant_uuid, type, subject, chargeback_id, timeline_from, timeline_to, quiet,
        occurred_at)
      select ${state.after}::bigint + row_number() over (order by n), event_id, merchant_uuid, type, subject, chargeback_id,
        timeline_from, timeline_to, quiet, occurred_at from fresh
      returning position
    )
    update event_state set position = coalesce((select max(position) from written), ${state.after}::bigint),
      next_xid = ${state.nextXid}::xid8,
      last_timeline_event = greatest(last_timeline_event, (select max(timeline_to) from given)),
      restored_timeline_event = coalesce(${state.restored}::bigint, restored_timeline_event),
      system_identifier = ${state.currentIdentifier}::bigint, wal_timeline = ${state.currentTimeline}
    returning position`.execute(db)
  return written[0]?.position ?? state.after
}

/** Wakes those who wait for events after `after`, at the commit. */
export async function announceEvents(db: Database, after: bigint): Promise<void> {
  await sql`
    with told as (select distinct merchant_uuid from event where position > ${after} limit ${NAMED + 1})
    select pg_notify(${EVENT_CHANNEL}, case when (select count(*) from told) <= ${NAMED} then merchant_uuid::text else '' end)
    from told`.execute(db)
}

import { sql } from 'kysely'
import type { EventType } from '../../domain/events/catalogue.ts'
import type { Database } from '../core/connect.ts'

/** A row of the log: ids only. Its body is rendered when it is read or sent. */
export interface LoggedEvent {
  position: bigint
  eventId: string
  merchantUuid: string
  type: string
  subject: string
  chargebackId: string | null
  timelineFrom: bigint | null
  occurredAt: Date
  /** Not pushed: it came with the first load of an integration. */
  quiet: boolean
}

const COLUMNS = sql`e.position, e.event_id as "eventId", e.merchant_uuid as "merchantUuid", e.type, e.subject, e.chargeback_id as "chargebackId",
  e.timeline_from as "timelineFrom", e.occurred_at as "occurredAt", e.quiet`

export interface EventPage {
  events: LoggedEvent[]
  hasMore: boolean
  /** Where the next page begins; also behind events of other types and merchants. */
  next: bigint
  /** Events after the asked position were deleted because of their age. */
  isExpired: boolean
}

/** Events that one page looks through, so that a rare type costs no more than a common one. */
const WALK = 5_000

/**
 * The merchant's events after a position, oldest first. A page may have fewer than `limit` events, or none, and still be
 * followed by others.
 * @param request.merchantUuid null: of all merchants, for operators
 * @param request.after null: from the oldest on
 */
export async function readEvents(
  db: Database,
  request: { merchantUuid: string | null; types: readonly EventType[]; after: bigint | null; limit: number },
): Promise<EventPage> {
  const { merchantUuid, types, after, limit } = request
  const ofMerchant = merchantUuid === null ? sql`true` : sql`merchant_uuid = ${merchantUuid}`
  const { rows } = await sql<
    { end: bigint; expired: bigint; walked: number; walkedTo: bigint | null } & Partial<LoggedEvent>
  >`
    with walked as materialized (
      select * from event where ${ofMerchant} and position > ${after ?? 0n}::bigint
      order by position limit ${WALK}
    )
    select s.position as "end", s.expired_position as expired, w.walked, w.walked_to as "walkedTo", ${COLUMNS}
    from event_state s
    cross join (select count(*)::int as walked, max(position) as walked_to from walked) w
    left join (select * from walked where type = any(${[...types]}::text[]) order by position limit ${limit + 1}) e on true
    order by e.position`.execute(db)
  const [first] = rows
  if (!first) throw new Error('event_state has no row')
  const found = rows.flatMap((row) => (row.eventId === undefined || row.eventId === null ? [] : [row as LoggedEvent]))
  const events = found.slice(0, limit)
  const isExpired = after !== null && after < first.expired
  const furthest = (position: bigint) => (after !== null && after > position ? after : position)
  if (found.length > limit) return { events, hasMore: true, next: events.at(-1)?.position ?? first.end, isExpired }
  if (first.walked === WALK && first.walkedTo !== null)
    return { events, hasMore: true, next: first.walkedTo, isExpired }
  return { events, hasMore: false, next: furthest(first.end), isExpired }
}

/** The last position that was given. */
export async function endOfLog(db: Database): Promise<bigint> {
  const { position } = await db.selectFrom('event_state').select('position').executeTakeFirstOrThrow()
  return position
}

/** @returns null when the merchant has no such event */
export async function readEvent(
  db: Database,
  { merchantUuid, eventId }: { merchantUuid: string; eventId: string },
): Promise<LoggedEvent | null> {
  const { rows } = await sql<LoggedEvent>`
    select ${COLUMNS} from event e where e.merchant_uuid = ${merchantUuid} and e.event_id = ${eventId}`.execute(db)
  return rows[0] ?? null
}

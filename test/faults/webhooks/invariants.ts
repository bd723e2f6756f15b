import { sql } from 'kysely'
import { sequencerLag } from '../../../db/events/fresh-rows.ts'
import { eventName } from '../../../webhooks/render.ts'
import { until } from '../../harness/until.ts'
import type { Ground } from './ground.ts'
import { WRITER } from './writers.ts'

const SETTLED_MS = 180_000

/**
 * Waits until every event has a position and every delivery has ended. Pauses between attempts end at once, because they
 * last hours; so do leases from before `diedAt`, whose process is dead.
 */
export async function settle({ testbed }: Ground, diedAt: Date | null): Promise<void> {
  const { db } = testbed.stack
  if (diedAt)
    await sql`
      update webhook_endpoint set lease_until = null, due_at = now()
      where lease_until - interval '60 s' < ${diedAt}`.execute(db)
  await until(
    'everything is sent',
    async () => {
      await sql`update webhook_delivery set next_attempt_at = now() where state = 'pending' and next_attempt_at > now()`.execute(
        db,
      )
      await sql`update webhook_endpoint set not_before = null, due_at = now()
        where due_at > now() and lease_until is null`.execute(db)
      const { rows } = await sql<{ waiting: number }>`
        select (select count(*) from webhook_delivery where state = 'pending')::int
          + (select count(*) from event_line)::int as waiting`.execute(db)
      return { waiting: rows[0]?.waiting, lag: await sequencerLag(db) }
    },
    { holds: ({ waiting, lag }) => waiting === 0 && lag === 0, timeoutMs: SETTLED_MS },
  )
}

interface Logged {
  position: bigint
  eventId: string
  merchant: string
  quiet: boolean
  /** Of its timeline rows; null for an event without a chargeback. */
  place: string | null
}

/** Violations of what is promised about events and webhooks, of all that happened so far. */
export async function violations(ground: Ground): Promise<string[]> {
  const { db } = ground.testbed.stack
  const { position, row } = ground.start
  const { rows: logged } = await sql<Logged>`
    select e.position, e.event_id as "eventId", m.reference_id as merchant, e.quiet,
      e.chargeback_id || ' ' || e.timeline_from || ' ' || e.timeline_to as place
    from event e join merchant m using (merchant_uuid) where e.position > ${position} order by e.position`.execute(db)
  const { rows: written } = await sql<{ place: string }>`
    select chargeback_id || ' ' || min(timeline_event_id) || ' ' || max(timeline_event_id) as place from timeline_event
    where timeline_event_id > ${row} and source = ${WRITER} group by chargeback_id, xid`.execute(db)
  return [
    ...logViolations(
      logged,
      written.map(({ place }) => place),
      position,
    ),
    ...ground.consumers.flatMap((consumer) => [
      ...consumer.faults(),
      ...logged
        .filter(({ quiet, merchant }) => !quiet && consumer.merchants.includes(merchant))
        .filter(({ eventId }) => !consumer.accepted.has(eventName(eventId)))
        .map((event) => `${consumer.name} never accepted event ${event.position}, ${eventName(event.eventId)}`),
    ]),
  ]
}

/** The log has each committed change once, at positions without gaps. */
function logViolations(logged: readonly Logged[], written: readonly string[], start: bigint): string[] {
  const places = logged.flatMap(({ place }) => place ?? [])
  const [known, committed] = [new Set(places), new Set(written)]
  return [
    ...(known.size === places.length ? [] : [`${places.length - known.size} changes have two events`]),
    ...written.filter((place) => !known.has(place)).map((place) => `the change ${place} has no event`),
    ...places
      .filter((place) => !committed.has(place))
      .map((place) => `there is an event of ${place}, which was not committed`),
    ...logged
      .filter((event, n) => event.position !== start + BigInt(n) + 1n)
      .slice(0, 1)
      .map((event) => `position ${event.position} does not follow the one before`),
  ]
}

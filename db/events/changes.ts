import { sql } from 'kysely'
import { EVENT_SUBJECTS, type EventType } from '../../domain/events/catalogue.ts'
import { eventsOf, type TimelineFact } from '../../domain/events/rules.ts'
import { columnOf, inTimeline, jsonName, WRITTEN } from '../chargebacks/column-sql.ts'
import { asRead, type Money } from '../chargebacks/timeline.ts'
import type { Database } from '../core/connect.ts'
import type { LoggedEvent } from './log.ts'

/** A timeline row as consumers of events see it. */
export interface Change {
  what: string
  source: string
  before?: Record<string, unknown>
  after?: Record<string, unknown>
}

/** Columns whose values the timeline has; of free text it has the names only. */
const COLUMN_NAMES = [
  ...WRITTEN.filter((name) => typeof columnOf(name).timeline === 'object'),
  ...inTimeline('details'),
  ...inTimeline('assessment'),
].map(jsonName)

/** Values that are told: facts in words of the service, ids, and names. */
const TOLD: ReadonlySet<string> = new Set([
  ...[...COLUMN_NAMES, 'amount', 'shouldFight', 'signals', 'isEnriched', 'answerable', 'hours'],
  ...['acceptanceId', 'submitEvidenceId', 'fileId', 'credentialId', 'integrationId', 'id', 'chargebackId'],
  ...['fields', 'added', 'removed', 'dataPoints'],
])
/** Rows whose `reason` is a sentence of the service; elsewhere a person may have written it. */
const OWN_REASONS: readonly string[] = ['ingested', 'status changed', 'reason changed']

/** Any other value may be free text, which may name a person: it is named in `fields`, never told. */
function told(what: string, values: Record<string, unknown>): Record<string, unknown> {
  const isTold = (name: string) => TOLD.has(name) || (name === 'reason' && OWN_REASONS.includes(what))
  const entries = Object.entries(values)
  const named = entries.flatMap(([name]) => (isTold(name) ? [] : [name]))
  const shown = Object.fromEntries(entries.filter(([name]) => isTold(name)))
  const fields = [...((shown.fields as string[] | undefined) ?? []), ...named]
  return { ...shown, ...(fields.length > 0 && { fields }) }
}

/** What happened in each event with a timeline, by event id. One statement; looked up row by row, also without statistics. */
export async function readChanges(
  db: Database,
  merchantUuid: string,
  events: readonly LoggedEvent[],
): Promise<Map<string, Change[]>> {
  const withTimeline = events.filter((one) => one.timelineFrom !== null)
  if (withTimeline.length === 0) return new Map()
  const { rows } = await sql<TimelineFact & Money & { eventId: string; source: string }>`
    select e.event_id as "eventId", t.source, t.what, t.before, t.after, c.currency, c.amount_exponent as exponent
    from unnest(${withTimeline.map((one) => String(one.position))}::bigint[]) as asked(position)
    cross join lateral (
      select event_id, timeline_from, timeline_to from event
      where position = asked.position and merchant_uuid = ${merchantUuid} offset 0) e
    cross join lateral (
      select chargeback_id, xid from timeline_event where timeline_event_id = e.timeline_from limit 1) f
    cross join lateral (
      select * from timeline_event where chargeback_id = f.chargeback_id and xid = f.xid
        and timeline_event_id between e.timeline_from and e.timeline_to and merchant_uuid = ${merchantUuid} offset 0) t
    cross join lateral (
      select currency, amount_exponent from chargeback
      where id = t.chargeback_id and merchant_uuid = ${merchantUuid} limit 1) c
    order by t.timeline_event_id`.execute(db)
  return new Map(
    withTimeline.map((event) => {
      const commandId = EVENT_SUBJECTS[event.type as EventType] === 'chargeback' ? null : event.subject
      const own = eventsOf(rows.filter((row) => row.eventId === event.eventId))
      return [event.eventId, (own.find((one) => one.commandId === commandId)?.rows ?? []).map(asChange)]
    }),
  )
}

function asChange({ what, source, before, after, ...money }: TimelineFact & Money & { source: string }): Change {
  const values = (given: TimelineFact['before']) => given && told(what, asRead({ ...given }, money))
  const [old, now] = [values(before), values(after)]
  return { what, source, ...(old && { before: old }), ...(now && { after: now }) }
}

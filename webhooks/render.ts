import type { Database } from '../db/core/connect.ts'
import { readChanges } from '../db/events/changes.ts'
import type { LoggedEvent } from '../db/events/log.ts'
import { readObjects } from '../db/events/objects.ts'
import { referenceOf } from '../db/merchants/merchants.ts'
import { EVENT_SUBJECTS, type EventSubject, type EventType } from '../domain/events/catalogue.ts'
import type { Payload } from '../domain/webhooks/endpoint.ts'

/** Name of the object in `data`, and of its id where only ids are sent. */
const NAMES: Record<EventSubject, { object: string; id: string }> = {
  chargeback: { object: 'chargeback', id: 'chargebackId' },
  acceptance: { object: 'acceptance', id: 'acceptanceId' },
  evidence_submission: { object: 'evidenceSubmission', id: 'submitEvidenceId' },
  alert: { object: 'alert', id: 'alertId' },
  integration: { object: 'integration', id: 'integrationId' },
  merchant: { object: 'merchant', id: 'merchantUuid' },
  data_subject_removal: { object: 'removal', id: 'removalId' },
  webhook_endpoint: { object: 'webhookEndpoint', id: 'webhookEndpointId' },
}

export const eventName = (eventId: string): string => `evt_${eventId.replaceAll('-', '')}`

/** The id of an event by its name; null when it is no such name. */
export function eventIdOf(name: string): string | null {
  const [, hex] = /^evt_([0-9a-f]{32})$/.exec(name) ?? []
  return hex === undefined ? null : hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/**
 * The bodies of a merchant's events as JSON text, in their order: the state of each object now, and what happened. A
 * constant number of statements. An event whose object the merchant doesn't have is null.
 */
export async function renderEvents(
  db: Database,
  merchantUuid: string,
  events: readonly LoggedEvent[],
  payload: Payload = 'full',
): Promise<(string | null)[]> {
  if (events.length === 0) return []
  const reference = await referenceOf(db, merchantUuid)
  const changes = await readChanges(db, merchantUuid, events)
  const kinds = [...new Set(events.map(({ type }) => EVENT_SUBJECTS[type as EventType]))]
  const objects = new Map<string, string>()
  for (const kind of kinds) {
    const ids = events.filter(({ type }) => EVENT_SUBJECTS[type as EventType] === kind).map(({ subject }) => subject)
    for (const [id, text] of await readObjects(db, kind, { merchantUuid, ids })) objects.set(`${kind} ${id}`, text)
  }
  return events.map((event) => {
    const kind = EVENT_SUBJECTS[event.type as EventType]
    const object = objects.get(`${kind} ${event.subject}`)
    if (object === undefined) return null
    const data = dataOf(event, kind, payload === 'full' ? object : null)
    const changed = changes.get(event.eventId)
    if (changed) data.push(['changes', JSON.stringify(changed)])
    return `{${[
      ['id', JSON.stringify(eventName(event.eventId))],
      ['type', JSON.stringify(event.type)],
      ['timestamp', JSON.stringify(event.occurredAt.toISOString())],
      ['sequence', `"${event.position}"`],
      ['referenceAccountId', JSON.stringify(reference)],
      ...(event.quiet ? [['quiet', 'true']] : []),
      ['data', `{${data.map(member).join(',')}}`],
    ]
      .map(member)
      .join(',')}}`
  })
}

const member = ([name, value]: string[]) => `"${name}":${value}`

/** @param object as JSON text; null: only ids are sent */
function dataOf({ subject, chargebackId }: LoggedEvent, kind: EventSubject, object: string | null): string[][] {
  const { object: name, id } = NAMES[kind]
  const own = object === null ? [id, JSON.stringify(subject)] : [name, object]
  const isOfChargeback = chargebackId !== null && chargebackId !== subject
  return [own, ...(isOfChargeback ? [['chargebackId', JSON.stringify(chargebackId)]] : [])]
}

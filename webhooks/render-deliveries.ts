import type { Database } from '../db/core/connect.ts'
import { type OwnedEvent, readByPosition } from '../db/webhooks/delivered-events.ts'
import { TEST_EVENT } from '../domain/webhooks/endpoint.ts'
import { eventName, renderEvents } from './render.ts'
import type { RenderedEvent, TurnDeps } from './turn.ts'

/** Renders what is due for an endpoint: the state of each object now, of the endpoint's own merchants only. */
export function renderDeliveries(db: Database): TurnDeps['render'] {
  return async (endpoint, due, now) => {
    const bodies = new Map<string, RenderedEvent>()
    for (const { eventId, type } of due)
      if (type === TEST_EVENT) bodies.set(eventId, testEvent(eventId, endpoint.endpointId, now))
    const positions = due.flatMap(({ position }) => position ?? [])
    const events = positions.length > 0 ? await readByPosition(db, endpoint, positions) : []
    for (const [merchantUuid, own] of byMerchant(events)) {
      const texts = await renderEvents(db, merchantUuid, own, endpoint.payload)
      own.forEach(({ eventId, occurredAt }, index) => {
        const text = texts[index]
        if (text) bodies.set(eventId, { body: Buffer.from(text), occurredAt })
      })
    }
    return bodies
  }
}

function byMerchant(events: readonly OwnedEvent[]): Map<string, OwnedEvent[]> {
  const groups = new Map<string, OwnedEvent[]>()
  for (const event of events) groups.set(event.merchantUuid, [...(groups.get(event.merchantUuid) ?? []), event])
  return groups
}

/** It is not in the log, so it has no place in the sequence. */
function testEvent(eventId: string, endpointId: string, now: Date): RenderedEvent {
  const event = { id: eventName(eventId), type: TEST_EVENT, timestamp: now.toISOString(), sequence: '0' }
  return { body: Buffer.from(JSON.stringify({ ...event, data: { webhookEndpointId: endpointId } })), occurredAt: now }
}

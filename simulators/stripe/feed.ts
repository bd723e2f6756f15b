import type { EventRecord } from '../engine/contract.ts'
import type { Window } from '../engine/timeline.ts'
import type { StripeRequest } from './endpoint.ts'
import { badParameter, missingObject } from './errors.ts'
import { renderEvent } from './events.ts'
import { listText, windowOf } from './lists.ts'
import { textOf, textsOf } from './parameters.ts'

/** Stripe keeps events for 30 days. */
const KEPT = 30 * 86_400
const MAX_TYPES = 20

/** GET /v1/events: newest first, `type` with a wildcard or up to 20 `types`, never both. */
export function listEvents({ engine, account, parameters }: StripeRequest): string {
  const type = textOf(parameters, 'type')
  const types = textsOf(parameters, 'types')
  if (type !== undefined && parameters.types !== undefined) {
    throw badParameter('types', 'You may pass either type or types, but not both.')
  }
  if (types.length > MAX_TYPES) throw badParameter('types', `You may pass at most ${MAX_TYPES} types.`)
  const window: Window<EventRecord> = windowOf(parameters, 'event', (id) => account.eventById.get(id))
  window.from = Math.max(window.from ?? 0, engine.now() - KEPT)
  const wanted = type === undefined ? types : [type]
  if (wanted.length > 0) window.matches = (event) => wanted.some((pattern) => isOfType(event.type, pattern))
  const { items, hasMore } = account.events.page(window)
  return listText(
    '/v1/events',
    items.map((event) => JSON.stringify(renderEvent(engine, event))),
    hasMore,
  )
}

function isOfType(type: string, pattern: string): boolean {
  return pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern
}

export function retrieveEvent({ engine, account, id }: StripeRequest): string {
  const event = account.eventById.get(id)
  if (!event || event.at < engine.now() - KEPT) throw missingObject('event', id)
  return JSON.stringify(renderEvent(engine, event))
}

import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { open, seal } from '../../../db/core/seal.ts'
import { endOfLog, readEvent } from '../../../db/events/log.ts'
import { EVENT_PATTERNS, matchingTypes } from '../../../domain/events/catalogue.ts'
import { eventIdOf, renderEvents } from '../../../webhooks/render.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { failure, readErrors, success } from '../../http/responses.ts'
import { envelope, hasMore, paging, selector } from '../../http/shapes.ts'
import { event, exampleEvent } from './event-shape.ts'
import { waitForEvents } from './wait-for-events.ts'

const LATEST = 'latest'
const WAIT = 'Must be an integer from 0 to 25'

const types = z
  .string()
  .max(2_000)
  .optional()
  .transform((text) => [...new Set(text?.split(',').map((one) => one.trim()) ?? [])].sort())
  .refine((names) => names.every((name) => EVENT_PATTERNS.includes(name)), {
    message: `Must be event types or patterns such as chargeback.*, comma-separated: ${EVENT_PATTERNS.join(', ')}`,
  })
  .openapi({
    type: 'string',
    description: 'Types of events, comma-separated; `chargeback.*` are all about a chargeback. All types by default.',
    example: 'chargeback.*,acceptance.failed',
  })

const list = createRoute({
  method: 'get',
  path: '/events',
  operationId: 'listEvents',
  tags: ['Events'],
  summary: 'Read the event log',
  description:
    'Everything that happened to the merchant’s chargebacks, acceptances, evidence submissions, alerts and integrations, ' +
    'in order, oldest first, for 30 days (`RECOUP_EVENT_DAYS`). Continue with `after` = `nextCursor`, which is always there. ' +
    'An event is in the log within a second of its change. It has the state of its object now, and what happened. ' +
    'Refusals beyond validation: 400 `invalid_cursor`; 410 `events_expired`.',
  request: {
    headers: selector,
    query: z.object({
      after: z
        .string()
        .max(500)
        .optional()
        .openapi({
          description:
            'The `nextCursor` of the answer before, with the same types. `latest`: only what happens from now on. ' +
            'Absent: from the oldest event on.',
        }),
      types,
      limit: paging.limit,
      wait: z
        .string()
        .regex(/^\d{1,2}$/, WAIT)
        .transform(Number)
        .refine((value) => value <= 25, WAIT)
        .default(0)
        .openapi({
          type: 'integer',
          minimum: 0,
          maximum: 25,
          default: 0,
          description: 'Seconds to wait for an event when there is none.',
        }),
    }),
  },
  responses: {
    200: success(
      'A page of events',
      z
        .object({
          ...envelope,
          hasMore,
          data: z.array(event).openapi({ description: 'The events, oldest first.' }),
          nextCursor: z.string().openapi({ description: 'For `after`; also on an empty page.' }),
        })
        .openapi('EventList'),
      {
        ...{ status: 200, message: 'Events retrieved', hasMore: false },
        data: [exampleEvent('chargeback.reopened')],
        nextCursor: 'v1.test.0m3…',
      },
    ),
    ...readErrors,
    410: failure(
      410,
      'Gone',
      'events_expired',
      'Events after the cursor were deleted because of their age. Code: `events_expired`.',
      'Events after this cursor are older than the log. List what you mirror again, then read on with after=latest.',
    ),
  },
})

const read = createRoute({
  method: 'get',
  path: '/events/{id}',
  operationId: 'readEvent',
  tags: ['Events'],
  summary: 'Read an event',
  description: 'Refusal beyond validation: 404 `event_not_found`, also for an event that is older than the log.',
  request: {
    headers: selector,
    params: z.object({
      id: z.string().openapi({ description: 'Id of the event.', example: exampleEvent('alert.created').id }),
    }),
  },
  responses: {
    200: success('The event', z.object({ ...envelope, data: event }).openapi('EventRead'), {
      status: 200,
      message: 'Event retrieved',
      data: exampleEvent('chargeback.reopened'),
    }),
    ...readErrors,
  },
})

export function eventRoutes(deps: ApiDeps) {
  const { db, ring } = deps
  const routes = new OpenAPIHono<ApiEnv>()

  routes.openapi(list, async (c) => {
    const { after, types: names, limit, wait } = c.req.valid('query')
    const merchantUuid = c.get('merchantUuid')
    const place = ['event-cursor', merchantUuid, names.join(',')]
    const page = await waitForEvents(
      deps,
      {
        ...{ merchantUuid, limit },
        types: matchingTypes(names.length > 0 ? names : ['*']),
        after: after === undefined ? null : after === LATEST ? await endOfLog(db) : readCursor(ring, after, place),
      },
      { waitMs: wait * 1000, signal: c.req.raw.signal },
    )
    if (page.isExpired)
      throw new ApiError(
        410,
        'events_expired',
        'Events after this cursor are older than the log. List what you mirror again, then read on with after=latest.',
      )
    const bodies = await renderEvents(db, merchantUuid, page.events)
    const data = bodies.filter((body) => body !== null).join(',')
    const nextCursor = seal(ring, String(page.next), place)
    const response = `{"status":200,"message":"Events retrieved","hasMore":${page.hasMore},"data":[${data}],"nextCursor":"${nextCursor}"}`
    return c.body(response, 200, { 'content-type': 'application/json' }) as never
  })

  routes.openapi(read, async (c) => {
    const merchantUuid = c.get('merchantUuid')
    const eventId = eventIdOf(c.req.valid('param').id)
    const found = eventId && (await readEvent(db, { merchantUuid, eventId }))
    const [body] = found ? await renderEvents(db, merchantUuid, [found]) : []
    if (!body)
      throw new ApiError(404, 'event_not_found', 'There is no event with this id, or it is older than the log.')
    return c.body(`{"status":200,"message":"Event retrieved","data":${body}}`, 200, {
      'content-type': 'application/json',
    }) as never
  })
  return routes
}

/** Sealed for its merchant and types, so that it can't be used with others. */
function readCursor(ring: ApiDeps['ring'], cursor: string, place: string[]): bigint {
  try {
    return BigInt(open(ring, cursor, place))
  } catch {
    throw new ApiError(400, 'invalid_cursor', 'after: not a nextCursor of this merchant and these types')
  }
}

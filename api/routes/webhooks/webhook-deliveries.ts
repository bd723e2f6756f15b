import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { listDeliveries, replayEvents, sendTest } from '../../../db/webhooks/deliveries.ts'
import { rotateKeys } from '../../../db/webhooks/endpoint-changes.ts'
import { DELIVERY_STATES, OLD_KEYS } from '../../../domain/webhooks/endpoint.ts'
import { eventName } from '../../../webhooks/render.ts'
import { newKeys, publicKeyOf, secretOf } from '../../../webhooks/sign.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { storeIdempotentResponse } from '../../http/idempotency.ts'
import { readErrors, success, writeErrors } from '../../http/responses.ts'
import { dateTime, envelope, hasMore, idempotencyKey, paging, selector } from '../../http/shapes.ts'
import { delivery, deliveryId, eventId, toDelivery } from './delivery-shape.ts'
import { actorOf, checkEndpointId, ownerOf } from './endpoint-owner.ts'
import { endpointIdParam, eventPatterns, exampleEndpoint } from './endpoint-shape.ts'
import { EXAMPLE_SECRET } from './webhook-endpoints.ts'

/** Deliveries that one replay may name. */
const MOST_NAMED = 1_000
const rotate = createRoute({
  method: 'post',
  path: '/webhook-endpoints/{id}/rotate-secret',
  operationId: 'rotateWebhookSecret',
  tags: ['Webhooks'],
  summary: 'Replace the secret of a webhook endpoint',
  description:
    'Events are signed with the new and the old secret until the old one ends; one that an earlier rotation replaced ends ' +
    'now. 404 `webhook_endpoint_not_found`.',
  request: {
    headers: idempotencyKey,
    params: endpointIdParam,
    body: {
      required: true,
      content: {
        'application/json': {
          schema: z
            .strictObject({
              expireOldAfterSeconds: z.int().min(0).max(OLD_KEYS.most).default(OLD_KEYS.default).openapi({
                description: 'Seconds until the old secret ends; 0 after a leak. Seven days at most.',
              }),
            })
            .openapi('WebhookSecretRotation'),
          example: { expireOldAfterSeconds: 86_400 },
        },
      },
    },
  },
  responses: {
    200: success(
      'The secret is replaced',
      z
        .object({
          ...envelope,
          secret: z.string().openapi({ description: 'The new secret. Never shown again.' }),
          publicKey: z.string().optional().openapi({ description: 'The new public key; for ed25519 only.' }),
        })
        .openapi('WebhookSecretRotated'),
      { status: 200, message: 'Webhook secret replaced', secret: EXAMPLE_SECRET },
    ),
    ...writeErrors,
  },
})

const test = createRoute({
  method: 'post',
  path: '/webhook-endpoints/{id}/test',
  operationId: 'testWebhookEndpoint',
  tags: ['Webhooks'],
  summary: 'Send a test event',
  description:
    'Sends `webhook.test` once, within seconds, whatever types the endpoint receives, also when it is disabled. The list of ' +
    'deliveries shows what came of it. 404 `webhook_endpoint_not_found`.',
  request: { headers: idempotencyKey, params: endpointIdParam },
  responses: {
    202: success('The test will be sent', z.object({ ...envelope, deliveryId, eventId }).openapi('WebhookTest'), {
      status: 202,
      message: 'Webhook test requested',
      deliveryId: '184467',
      eventId: 'evt_0198c5a46c1e7d609a552f4b1f6f7d10',
    }),
    ...writeErrors,
  },
})

const list = createRoute({
  method: 'get',
  path: '/webhook-endpoints/{id}/deliveries',
  operationId: 'listWebhookDeliveries',
  tags: ['Webhooks'],
  summary: 'List deliveries of a webhook endpoint',
  description: 'Newest first, of the last 30 days. 404 `webhook_endpoint_not_found`.',
  request: {
    headers: selector,
    params: endpointIdParam,
    query: z.object({
      limit: paging.limit,
      state: z.enum(DELIVERY_STATES).optional().openapi({ description: 'Only deliveries in this state.' }),
      cursor: z
        .string()
        .regex(/^\d{1,18}$/, 'Must be the nextCursor of the page before')
        .optional()
        .openapi({ description: 'The nextCursor of the page before.' }),
    }),
  },
  responses: {
    200: success(
      'A page of deliveries',
      z
        .object({
          ...envelope,
          hasMore,
          nextCursor: z.string().optional().openapi({ description: 'Present while hasMore is true.' }),
          data: z.array(delivery).openapi({ description: 'The deliveries of the page.' }),
        })
        .openapi('WebhookDeliveryList'),
      {
        ...{ status: 200, message: 'Webhook deliveries retrieved', hasMore: false },
        data: [
          {
            ...{ deliveryId: '184467', eventId: 'evt_0198c5a46c1e7d609a552f4b1f6f7d10', type: 'chargeback.created' },
            ...{ state: 'delivered', replayed: false, createdAt: exampleEndpoint.createdAt },
            finishedAt: '2026-01-31T09:30:00.240Z',
            attempts: [{ at: '2026-01-31T09:30:00.120Z', status: 200, durationMs: 84 }],
          },
        ],
      },
    ),
    ...readErrors,
  },
})

const replayBody = z
  .strictObject({
    since: dateTime
      .optional()
      .openapi({ description: 'Events from this time on, whether they were delivered or not.' }),
    failedSince: dateTime
      .optional()
      .openapi({ description: 'Deliveries that failed or were cancelled from this time on.' }),
    deliveryIds: z
      .array(deliveryId)
      .min(1)
      .max(MOST_NAMED)
      .optional()
      .openapi({ description: 'These deliveries, in whatever state they are.' }),
    types: eventPatterns.optional(),
  })
  .refine((body) => [body.since, body.failedSince, body.deliveryIds].filter((one) => one !== undefined).length === 1, {
    message: 'Name one of since, failedSince and deliveryIds',
  })
  .openapi('WebhookReplay')

const replay = createRoute({
  method: 'post',
  path: '/webhook-endpoints/{id}/replay',
  operationId: 'replayWebhooks',
  tags: ['Webhooks'],
  summary: 'Send events again',
  description:
    'Events of the last 30 days, under their ids, after all new ones. An event that waits already is left out, and so are ' +
    'quiet ones. Refusals: 404 `webhook_endpoint_not_found`, 400 `webhook_endpoint_disabled`.',
  request: {
    headers: idempotencyKey,
    params: endpointIdParam,
    body: {
      required: true,
      content: { 'application/json': { schema: replayBody, example: { failedSince: '2026-01-31T00:00:00Z' } } },
    },
  },
  responses: {
    202: success(
      'The events will be sent',
      z
        .object({ ...envelope, count: z.number().int().openapi({ description: 'Events that will be sent again.' }) })
        .openapi('WebhookReplayed'),
      { status: 202, message: 'Webhook replay requested', count: 12 },
    ),
    ...writeErrors,
  },
})

export function webhookDeliveryRoutes(deps: ApiDeps) {
  const { db, ring } = deps
  const routes = new OpenAPIHono<ApiEnv>()

  routes.openapi(rotate, async (c) => {
    const { expireOldAfterSeconds } = c.req.valid('json')
    const which = { ...ownerOf(c), endpointId: checkEndpointId(c.req.valid('param').id), actor: actorOf(c) }
    const response = await db.transaction().execute(async (trx) => {
      const { keys, publicKey } = await rotateKeys(trx, ring, { ...which, expireOldAfterSeconds }, (signature) => {
        const keys = newKeys(signature)
        return { keys, publicKey: publicKeyOf(keys) }
      })
      const shown = { secret: secretOf(keys), ...(publicKey !== null && { publicKey }) }
      const response = { status: 200, message: 'Webhook secret replaced', ...shown }
      await storeIdempotentResponse(c, deps, trx, 200, response)
      return response
    })
    return c.json(response, 200)
  })

  routes.openapi(test, async (c) => {
    const which = { ...ownerOf(c), endpointId: checkEndpointId(c.req.valid('param').id) }
    const response = await db.transaction().execute(async (trx) => {
      const { deliveryId, eventId } = await sendTest(trx, which)
      const sent = { deliveryId: String(deliveryId), eventId: eventName(eventId) }
      const response = { status: 202, message: 'Webhook test requested', ...sent }
      await storeIdempotentResponse(c, deps, trx, 202, response)
      return response
    })
    return c.json(response, 202)
  })

  routes.openapi(list, async (c) => {
    const { limit, state, cursor } = c.req.valid('query')
    const which = { endpointId: checkEndpointId(c.req.valid('param').id), state, limit }
    const found = await listDeliveries(db, ownerOf(c), {
      ...which,
      before: cursor === undefined ? undefined : BigInt(cursor),
    })
    const page = found.slice(0, limit)
    const next = found.length > limit ? { nextCursor: String(page.at(-1)?.deliveryId) } : {}
    const listed = { hasMore: found.length > limit, ...next, data: page.map(toDelivery) }
    return c.json({ status: 200, message: 'Webhook deliveries retrieved', ...listed }, 200)
  })

  routes.openapi(replay, async (c) => {
    const { deliveryIds, ...body } = c.req.valid('json')
    const which = { ...ownerOf(c), endpointId: checkEndpointId(c.req.valid('param').id) }
    const response = await db.transaction().execute(async (trx) => {
      const chosen = { ...body, deliveryIds: deliveryIds?.map(BigInt), actor: actorOf(c) }
      const count = await replayEvents(trx, which, chosen)
      const response = { status: 202, message: 'Webhook replay requested', count }
      await storeIdempotentResponse(c, deps, trx, 202, response)
      return response
    })
    return c.json(response, 202)
  })
  return routes
}

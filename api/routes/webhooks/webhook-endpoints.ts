import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import { changeEndpoint, deleteEndpoint } from '../../../db/webhooks/endpoint-changes.ts'
import { endpointFields } from '../../../db/webhooks/endpoint-fields.ts'
import { createEndpoint, listEndpoints, readEndpoint } from '../../../db/webhooks/endpoints.ts'
import { newKeys, publicKeyOf, secretOf } from '../../../webhooks/sign.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { storeIdempotentResponse } from '../../http/idempotency.ts'
import { readErrors, success, successEmpty, writeErrors } from '../../http/responses.ts'
import { envelope, idempotencyKey, selector } from '../../http/shapes.ts'
import { actorOf, checkEndpointId, checkUrl, ownerOf } from './endpoint-owner.ts'
import {
  endpoint,
  endpointChangeBody,
  endpointId,
  endpointIdParam,
  endpointRead,
  exampleEndpoint,
  newEndpointBody,
} from './endpoint-shape.ts'

const WHOSE =
  'An account credential without `reference-account-id` acts on the endpoints that receive the events of all merchants of ' +
  'the account.'
/** Not a secret. */
export const EXAMPLE_SECRET = 'whsec_<base64 of 32 bytes>'

const create = createRoute({
  method: 'post',
  path: '/webhook-endpoints',
  operationId: 'createWebhookEndpoint',
  tags: ['Webhooks'],
  summary: 'Create a webhook endpoint',
  description:
    `Events from now on are sent to the address, signed as Standard Webhooks 1.0.0. ${WHOSE} ` +
    'Refusal (400) beyond validation: `too_many_endpoints` (16 of a merchant, 16 of an account).',
  request: {
    headers: idempotencyKey,
    body: {
      required: true,
      content: {
        'application/json': {
          schema: newEndpointBody,
          example: { url: exampleEndpoint.url, events: ['chargeback.*'], description: 'Order system' },
        },
      },
    },
  },
  responses: {
    201: success(
      'The endpoint is created',
      z
        .object({
          ...envelope,
          id: endpointId,
          secret: z.string().openapi({ description: 'Verifies `v1` signatures. Never shown again.' }),
          publicKey: z.string().optional().openapi({ description: 'Verifies `v1a` signatures; for ed25519 only.' }),
        })
        .openapi('WebhookEndpointCreated'),
      { status: 201, message: 'Webhook endpoint created', id: exampleEndpoint.id, secret: EXAMPLE_SECRET },
    ),
    ...writeErrors,
  },
})

const list = createRoute({
  method: 'get',
  path: '/webhook-endpoints',
  operationId: 'listWebhookEndpoints',
  tags: ['Webhooks'],
  summary: 'List webhook endpoints',
  description: `Oldest first, all of them. ${WHOSE}`,
  request: { headers: selector },
  responses: {
    200: success(
      'The endpoints',
      z
        .object({ ...envelope, data: z.array(endpoint).openapi({ description: 'The endpoints.' }) })
        .openapi('WebhookEndpointList'),
      { status: 200, message: 'Webhook endpoints retrieved', data: [exampleEndpoint] },
    ),
    ...readErrors,
  },
})

const read = createRoute({
  method: 'get',
  path: '/webhook-endpoints/{id}',
  operationId: 'readWebhookEndpoint',
  tags: ['Webhooks'],
  summary: 'Read a webhook endpoint',
  description: 'Without its secret. 404 `webhook_endpoint_not_found`.',
  request: { headers: selector, params: endpointIdParam },
  responses: {
    200: success('The endpoint', endpointRead, {
      status: 200,
      message: 'Webhook endpoint retrieved',
      data: exampleEndpoint,
    }),
    ...readErrors,
  },
})

const change = createRoute({
  method: 'patch',
  path: '/webhook-endpoints/{id}',
  operationId: 'updateWebhookEndpoint',
  tags: ['Webhooks'],
  summary: 'Change, disable or enable a webhook endpoint',
  description: 'What is left out stays. A new address is used for what waits, too. 404 `webhook_endpoint_not_found`.',
  request: {
    headers: idempotencyKey,
    params: endpointIdParam,
    body: {
      required: true,
      content: { 'application/json': { schema: endpointChangeBody, example: { events: ['*'], enabled: true } } },
    },
  },
  responses: {
    200: success('The endpoint as it is now', endpointRead, {
      status: 200,
      message: 'Webhook endpoint updated',
      data: exampleEndpoint,
    }),
    ...writeErrors,
  },
})

const remove = createRoute({
  method: 'delete',
  path: '/webhook-endpoints/{id}',
  operationId: 'deleteWebhookEndpoint',
  tags: ['Webhooks'],
  summary: 'Delete a webhook endpoint',
  description: 'Its secret is erased, and what waits is not sent. 404 `webhook_endpoint_not_found`.',
  request: { headers: idempotencyKey, params: endpointIdParam },
  responses: { 200: successEmpty('The endpoint is deleted; there is no body'), ...writeErrors },
})

export function webhookEndpointRoutes(deps: ApiDeps) {
  const { db, ring } = deps
  const routes = new OpenAPIHono<ApiEnv>()

  routes.openapi(create, async (c) => {
    const { url, description = null, ...body } = c.req.valid('json')
    const checked = await checkUrl(deps, url)
    const keys = newKeys(body.signature)
    const publicKey = publicKeyOf(keys)
    const response = await db.transaction().execute(async (trx) => {
      const made = { ...ownerOf(c), ...body, url: checked, description, keys, publicKey, actor: actorOf(c) }
      const id = await createEndpoint(trx, ring, made)
      const shown = { secret: secretOf(keys), ...(publicKey !== null && { publicKey }) }
      const response = { status: 201, message: 'Webhook endpoint created', id, ...shown }
      await storeIdempotentResponse(c, deps, trx, 201, response)
      return response
    })
    return c.json(response, 201)
  })

  routes.openapi(list, async (c) => {
    const found = await listEndpoints(db, ownerOf(c))
    return c.json({ status: 200, message: 'Webhook endpoints retrieved', data: found.map(endpointFields) }, 200)
  })

  routes.openapi(read, async (c) => {
    const found = await readEndpoint(db, ownerOf(c), checkEndpointId(c.req.valid('param').id))
    return c.json({ status: 200, message: 'Webhook endpoint retrieved', data: endpointFields(found) }, 200)
  })

  routes.openapi(change, async (c) => {
    const { url, ...body } = c.req.valid('json')
    const which = { ...ownerOf(c), endpointId: checkEndpointId(c.req.valid('param').id), actor: actorOf(c) }
    const checked = url === undefined ? undefined : await checkUrl(deps, url)
    const response = await db.transaction().execute(async (trx) => {
      await changeEndpoint(trx, which, { ...body, url: checked })
      const data = endpointFields(await readEndpoint(trx, which, which.endpointId))
      const response = { status: 200, message: 'Webhook endpoint updated', data }
      await storeIdempotentResponse(c, deps, trx, 200, response)
      return response
    })
    return c.json(response, 200)
  })

  routes.openapi(remove, async (c) => {
    const which = { ...ownerOf(c), endpointId: checkEndpointId(c.req.valid('param').id), actor: actorOf(c) }
    await db.transaction().execute(async (trx) => {
      await deleteEndpoint(trx, which)
      await storeIdempotentResponse(c, deps, trx, 200, undefined)
    })
    return c.body(null, 200)
  })
  return routes
}

import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { apply } from '../../auth/access.ts'
import type { ApiDeps, ApiEnv } from '../../context.ts'
import { bytesOf, discardBody, MAX_BYTES, readUnmeasured, refuseLongBody } from '../../http/body.ts'
import { ApiError } from '../../http/errors.ts'
import { failure, successText, writeErrors } from '../../http/responses.ts'
import { ids } from '../../http/shapes.ts'
import { refuseInvalid } from '../../http/validation.ts'
import { createBudget } from '../../limits/budget.ts'
import type { RateLimits } from '../../limits/rate-limit.ts'
import { createReceiver } from '../../notifications/receiver.ts'

/** Bytes of deliveries in memory at once: all, from one address, and to one integration. The smallest applies. */
const BYTES = { all: 16 * MAX_BYTES, ofAddress: 4 * MAX_BYTES, ofIntegration: 8 * MAX_BYTES }

const params = z.object({ integrationId: ids.integration })
const { 413: tooLarge, 429: limited, 500: broken, 503: unavailable } = writeErrors
const refusals = {
  401: failure(
    401,
    'Unauthorized',
    'notification_not_genuine',
    'It is not signed for this address, or there is no such integration. Code: `notification_not_genuine`.',
    'The notification is not signed for this address.',
  ),
  429: {
    ...limited,
    description:
      'More deliveries to this address in a minute than allowed, or more from one caller that are not genuine; they may ' +
      'be repeated. Code: `rate_limit_exceeded`.',
  },
  500: broken,
  503: unavailable,
}

const receive = createRoute({
  method: 'post',
  path: '/notifications/{integrationId}',
  operationId: 'receiveNotification',
  tags: ['Notifications'],
  security: [],
  summary: 'Where a PSP delivers its notifications',
  description:
    'Register this address at the PSP for the integration. No token: the delivery is verified by its signature with ' +
    'the integration’s secret. It is stored once, however often it comes, and makes Recoup read the disputes that it ' +
    'names again. The body is the PSP’s own.',
  request: {
    params,
    body: { required: true, content: { 'application/json': { schema: { type: 'object' as const } } } },
  },
  responses: {
    200: successText('Stored; the text is the one that the PSP expects, empty where it expects none', '[accepted]'),
    413: tooLarge,
    ...refusals,
  },
})

const challenge = createRoute({
  method: 'get',
  path: '/notifications/{integrationId}',
  operationId: 'answerChallenge',
  tags: ['Notifications'],
  security: [],
  summary: 'Where a PSP asks whose address this is',
  description:
    'Braintree sends a challenge when the address is registered and wants it signed. Within a day after the ' +
    'integration was connected or its secret was sent again, the response is signed with its key pair. At any other ' +
    'time, and for any other id, the response looks the same and is signed with nothing, so that it tells nobody which ' +
    'integrations there are.',
  request: {
    params,
    query: z.object({
      bt_challenge: z
        .string()
        .min(1)
        .max(255)
        .openapi({ description: '20 to 32 hexadecimal digits.', example: 'f9daaf93cb8e0dcb0f9b2ffa9d1b5e3c' }),
    }),
  },
  responses: {
    200: successText('The signed challenge', 'public_key|0a1b2c…'),
    400: writeErrors[400],
    ...refusals,
  },
})

/** Endpoints for PSPs. Deliveries are counted per integration, everything else per caller. */
export function notificationRoutes(deps: ApiDeps, limits: RateLimits) {
  const routes = new OpenAPIHono<ApiEnv>({ defaultHook: refuseInvalid })
  const receiver = createReceiver(deps)
  const bytes = createBudget(BYTES.all)

  routes.use('/notifications/:integrationId', async (c, next) => {
    await limits.holdBack(c.get('clientNetwork'), next)
    if (!c.res.headers.has('ratelimit-limit')) apply(c, await limits.countUnauthenticated(c.get('clientNetwork')))
  })
  routes.use('/notifications/:integrationId', refuseLongBody)

  routes.openapi(receive, async (c) => {
    const { integrationId } = c.req.valid('param')
    const address = c.get('clientNetwork')
    /** Releases the memory budget; held from before the body is read until the response is sent. */
    let release: (() => void) | null = null
    const hold = () => {
      const shares = { [integrationId]: BYTES.ofIntegration, [address]: BYTES.ofAddress }
      release = bytes.take(bytesOf(c), shares)
      if (!release) throw full()
    }
    try {
      const response = await receiver.receive(integrationId, {
        headers: c.req.header(),
        address,
        async read() {
          hold()
          await readUnmeasured(c)
          return c.req.text()
        },
        async discard() {
          hold()
          await discardBody(c)
        },
        countVerificationCall: async () => void (await limits.countVerificationCall(address, integrationId)),
        countGenuine: async () => apply(c, await limits.countNotification(integrationId)),
      })
      if (response === null) throw await refused(c)
      return c.text(response, 200)
    } finally {
      ;(release as (() => void) | null)?.()
    }
  })

  routes.openapi(challenge, async (c) => {
    const { integrationId } = c.req.valid('param')
    const response = await receiver.answer(integrationId, c.req.valid('query').bt_challenge)
    if (response === null) throw await refused(c)
    return c.text(response, 200)
  })

  async function refused(c: Context<ApiEnv>): Promise<ApiError> {
    apply(c, await limits.countUnauthenticated(c.get('clientNetwork')))
    return new ApiError(401, 'notification_not_genuine', 'The notification is not signed for this address.')
  }
  return routes
}

const full = () =>
  new ApiError(503, 'service_unavailable', 'Too many deliveries are being received at once. Try again.', {
    'retry-after': '1',
  })

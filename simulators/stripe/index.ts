import { Hono } from 'hono'
import type { SimulatorApp } from '../engine/conduct.ts'
import type { ErrorAnswerKind, FaultAnswer, JsonObject } from '../engine/contract.ts'
import type { SimulatorDefinition } from '../engine/definition.ts'
import type { DisputeEngine } from '../engine/engine.ts'
import { retrieveAccount } from './account.ts'
import { buildDispute } from './dispute.ts'
import { closeAtStripe, listDisputes, retrieveDispute } from './disputes.ts'
import { type Endpoint, endpoint } from './endpoint.ts'
import { invalidKey, missingPermission } from './errors.ts'
import { eventsBetween, firstEvents, notification } from './events.ts'
import { updateDispute } from './evidence.ts'
import { listEvents, retrieveEvent } from './feed.ts'
import { createFile, listFiles, retrieveFile } from './files.ts'
import {
  API_VERSION,
  DEMO_ACCOUNT,
  DEMO_KEY,
  REFUSED_KEY,
  RESTRICTED_KEY,
  SECOND_ACCOUNT,
  WEBHOOK_SECRET,
} from './keys.ts'
import { decideDispute, expireDispute, readDispute, setAmount, setDeadline, setStatus } from './lifecycle.ts'
import { reshapePage } from './lists.ts'
import { listCharges, retrieveObject } from './payments/payments.ts'
import { CURRENCIES, REASONS, SITUATIONS } from './situations.ts'
import {
  CHARGE_LIST,
  DISPUTE_LIST,
  DISPUTE_UPDATE,
  EVENT_LIST,
  EXPAND_ONLY,
  FILE_CREATE,
  FILE_LIST,
  INTENT_RETRIEVE,
} from './specs.ts'

export { DEMO_ACCOUNT, LIMITED_KEY } from './keys.ts'

/** Stripe's API for disputes, as stripe@23.1.0 sees it. */
export const stripeSimulator: SimulatorDefinition = {
  source: 'stripe',
  baseUrlVariable: 'STRIPE_API_URL',
  portOffset: 1,
  secretType: 'APIKEY_ONLY',
  externalIdentifier: SECOND_ACCOUNT,
  secretPayload: { apiKey: DEMO_KEY, webhookSecret: WEBHOOK_SECRET },
  refusedSecretPayload: { apiKey: REFUSED_KEY },
  restrictedSecretPayload: { apiKey: RESTRICTED_KEY },
  profile: {
    homeAccount: DEMO_ACCOUNT,
    situations: SITUATIONS,
    reasons: REASONS,
    currencies: CURRENCIES,
    idempotencyHeader: 'idempotency-key',
    notificationSecret: WEBHOOK_SECRET,
    referenceOf: (token) => `du_1${token}`,
    build: (plan) => buildDispute(plan) as unknown as JsonObject,
    read: readDispute,
    firstEvents,
    eventsBetween,
    expire: expireDispute,
    decide: decideDispute,
    setDeadline,
    setStatus,
    setAmount,
    errorResponse,
    lockAnswer,
    reshapePage,
    notification,
  },
  routes,
}

function routes(engine: DisputeEngine): SimulatorApp {
  const app: SimulatorApp = new Hono()
  const at = (definition: Endpoint) => endpoint(engine, definition)
  app.get('/v1/account', at({ permission: 'Account', specs: EXPAND_ONLY, run: retrieveAccount }))
  app.get('/v1/disputes', at({ permission: 'Disputes', specs: DISPUTE_LIST, run: listDisputes }))
  app.get('/v1/disputes/:id', at({ permission: 'Disputes', specs: EXPAND_ONLY, run: retrieveDispute }))
  app.post('/v1/disputes/:id/close', at({ permission: 'Disputes', specs: EXPAND_ONLY, run: closeAtStripe }))
  app.post('/v1/disputes/:id', at({ permission: 'Disputes', specs: DISPUTE_UPDATE, run: updateDispute }))
  app.get('/v1/files', at({ permission: 'Files', specs: FILE_LIST, run: listFiles }))
  app.get('/v1/files/:id', at({ permission: 'Files', specs: EXPAND_ONLY, run: retrieveFile }))
  app.post('/v1/files', at({ permission: 'Files', specs: FILE_CREATE, run: createFile, multipart: true }))
  app.get('/v1/events', at({ permission: 'Events', specs: EVENT_LIST, run: listEvents }))
  app.get('/v1/events/:id', at({ permission: 'Events', specs: EXPAND_ONLY, run: retrieveEvent }))
  app.get('/v1/charges', at({ permission: 'Charges', specs: CHARGE_LIST, run: listCharges }))
  app.get('/v1/charges/:id', at({ permission: 'Charges', specs: EXPAND_ONLY, run: retrieveObject('charge') }))
  app.get(
    '/v1/payment_intents/:id',
    at({ permission: 'PaymentIntents', specs: INTENT_RETRIEVE, run: retrieveObject('payment_intent') }),
  )
  app.get('/v1/customers/:id', at({ permission: 'Customers', specs: EXPAND_ONLY, run: retrieveObject('customer') }))
  // Not `notFound`: of an application that is mounted in another one that is never asked.
  app.all('*', (c) => {
    const message = `Unrecognized request URL (${c.req.method}: ${c.req.path}). If you are trying to list objects, remove the trailing slash. If you are trying to retrieve an object, make sure you passed a valid (non-empty) identifier in your code.`
    const headers = { 'request-id': c.get('call').requestId, 'stripe-version': API_VERSION }
    return c.json({ error: { type: 'invalid_request_error', message } }, 404, headers)
  })
  // A malformed object can break its endpoint, which would be a 500 at Stripe too.
  app.onError((_, c) => {
    const { status, body, headers } = errorResponse('500', undefined)
    return new Response(body, { status, headers: { ...headers, 'request-id': c.get('call').requestId } })
  })
  return app
}

function errorResponse(kind: ErrorAnswerKind, retryAfter: string | undefined): FaultAnswer {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (retryAfter !== undefined) headers['retry-after'] = retryAfter
  const body = (error: object): string => JSON.stringify({ error })
  if (kind === '429') {
    const message = 'Too many requests hit the API too quickly. We recommend an exponential backoff of your requests.'
    return { status: 429, headers, body: body({ type: 'invalid_request_error', code: 'rate_limit', message }) }
  }
  if (kind === '401' || kind === '403') {
    const { status, error } =
      kind === '401'
        ? invalidKey('sk_test_revoked')
        : missingPermission('rk_test_limited', DEMO_ACCOUNT, 'Disputes Write')
    return { status, headers, body: body(error) }
  }
  if (kind === '409') {
    const message = 'There is currently another in-progress request using this Idempotent Key.'
    return { status: 409, headers, body: body({ type: 'idempotency_error', code: 'idempotency_key_in_use', message }) }
  }
  if (kind === '500') {
    const message = 'An unknown error occurred; it has been reported.'
    return { status: 500, headers, body: body({ type: 'api_error', message }) }
  }
  return { status: 503, headers, body: '{}' }
}

/** Another request holds the object: the only 429 of which Stripe says that it may be sent again. */
function lockAnswer(): FaultAnswer {
  const message = 'This object cannot be accessed right now because another API request is accessing it.'
  const error = { type: 'invalid_request_error', code: 'lock_timeout', message }
  const headers = { 'content-type': 'application/json', 'stripe-should-retry': 'true' }
  return { status: 429, headers, body: JSON.stringify({ error }) }
}

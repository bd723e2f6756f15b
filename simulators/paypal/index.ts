import { Hono } from 'hono'
import type { SimulatorApp } from '../engine/conduct.ts'
import type { Json, JsonObject } from '../engine/contract.ts'
import type { SimulatorDefinition } from '../engine/definition.ts'
import type { DisputeEngine } from '../engine/engine.ts'
import { acceptClaim, adjudicate, appeal, provideEvidence, provideSupportingInfo, requireEvidence } from './actions.ts'
import { createAuthenticator } from './authenticate.ts'
import { processChargeback } from './chargeback.ts'
import { buildDispute } from './dispute.ts'
import { LIST_PARAMETERS, listDisputes, retrieveDispute } from './disputes.ts'
import { answered, type Endpoint, endpoint } from './endpoint.ts'
import { errorResponse, PayPalRefusal } from './errors.ts'
import { acknowledgeReturn, escalate, makeOffer, sendMessage } from './inquiry.ts'
import {
  CLIENT_SECRET,
  clientIdOf,
  DEMO_ACCOUNT,
  REFUSED_SECRET,
  RESTRICTED_CLIENT,
  SECOND_ACCOUNT,
  WEBHOOK_ID,
  webhookIdOf,
} from './keys.ts'
import { decideDispute, expireDispute, readDispute, setAmount, setDeadline, setStatus, touch } from './lifecycle.ts'
import { malformed } from './malformed.ts'
import { retrieveCapture, retrieveOrder, SEARCH_PARAMETERS, searchTransactions } from './payments.ts'
import { CURRENCIES, REASONS, SITUATIONS } from './situations.ts'
import { eventsBetween, firstEvents, notification, verifySignature } from './webhooks.ts'

/** PayPal's Disputes v1 and related APIs, for a seller's REST app. */
export const paypalSimulator: SimulatorDefinition = {
  source: 'paypal',
  baseUrlVariable: 'PAYPAL_API_URL',
  portOffset: 2,
  secretType: 'BASIC_AUTH',
  externalIdentifier: SECOND_ACCOUNT,
  secretPayload: {
    clientId: clientIdOf(SECOND_ACCOUNT),
    clientSecret: CLIENT_SECRET,
    webhookId: webhookIdOf(SECOND_ACCOUNT),
  },
  homeSecretPayload: { clientId: clientIdOf(DEMO_ACCOUNT), clientSecret: CLIENT_SECRET, webhookId: WEBHOOK_ID },
  refusedSecretPayload: { clientId: clientIdOf(DEMO_ACCOUNT), clientSecret: REFUSED_SECRET },
  restrictedSecretPayload: { clientId: RESTRICTED_CLIENT, clientSecret: CLIENT_SECRET },
  profile: {
    homeAccount: DEMO_ACCOUNT,
    situations: SITUATIONS,
    reasons: REASONS,
    currencies: CURRENCIES,
    idempotencyHeader: 'paypal-request-id',
    notificationSecret: WEBHOOK_ID,
    notificationSecretOf: webhookIdOf,
    referenceOf,
    build: buildDispute,
    read: readDispute,
    firstEvents,
    eventsBetween,
    expire: expireDispute,
    decide: decideDispute,
    setDeadline,
    setStatus,
    setAmount,
    touch,
    malformed,
    errorResponse,
    reshapePage,
    notification,
  },
  routes,
}

function routes(engine: DisputeEngine): SimulatorApp {
  const app: SimulatorApp = new Hono()
  const authenticator = createAuthenticator(engine)
  const at = (definition: Endpoint) => endpoint(engine, authenticator, definition)
  const disputes = '/v1/customer/disputes'

  app.post('/v1/oauth2/token', (c) =>
    answered(() => {
      const type = c.req.header('content-type') ?? ''
      if (!type.startsWith('application/x-www-form-urlencoded')) throw new PayPalRefusal(415, 'UNSUPPORTED_MEDIA_TYPE')
      return authenticator.mint(c.req.header('authorization') ?? '', c.get('body').toString('utf8'))
    }),
  )
  app.get(disputes, at({ scope: 'read', query: LIST_PARAMETERS, run: listDisputes }))
  app.get(`${disputes}/:id`, at({ scope: 'read', tested: 'get', run: retrieveDispute }))
  app.post(
    `${disputes}/:id/accept-claim`,
    at({ scope: 'update', takes: ['json', 'multipart'], tested: 'accept-claim', run: acceptClaim }),
  )
  app.post(
    `${disputes}/:id/provide-evidence`,
    at({ scope: 'update', takes: ['multipart'], tested: 'provide-evidence', run: provideEvidence }),
  )
  app.post(`${disputes}/:id/appeal`, at({ scope: 'update', takes: ['multipart'], tested: 'appeal', run: appeal }))
  app.post(
    `${disputes}/:id/provide-supporting-info`,
    at({ scope: 'update', takes: ['json', 'multipart'], run: provideSupportingInfo }),
  )
  for (const [action, run] of [
    ['escalate', escalate],
    ['send-message', sendMessage],
    ['make-offer', makeOffer],
    ['acknowledge-return-item', acknowledgeReturn],
  ] as const) {
    app.post(`${disputes}/:id/${action}`, at({ scope: 'update', takes: ['json', 'multipart'], tested: action, run }))
  }
  app.post(`${disputes}/:id/require-evidence`, at({ scope: 'update', takes: ['json'], run: requireEvidence }))
  app.post(`${disputes}/:id/adjudicate`, at({ scope: 'update', takes: ['json'], run: adjudicate }))
  app.post(
    '/v2/customer-support/process-chargeback',
    at({ scope: 'update', takes: ['json'], status: 201, run: processChargeback }),
  )
  app.get('/v2/payments/captures/:id', at({ scope: 'payments', run: retrieveCapture }))
  app.get('/v2/checkout/orders/:id', at({ scope: 'payments', query: ['fields'], run: retrieveOrder }))
  app.get('/v1/reporting/transactions', at({ scope: 'search', query: SEARCH_PARAMETERS, run: searchTransactions }))
  app.post(
    '/v1/notifications/verify-webhook-signature',
    at({ scope: 'webhooks', takes: ['json'], run: verifySignature }),
  )
  app.notFound(() =>
    answered(() => {
      throw new PayPalRefusal(404, 'RESOURCE_NOT_FOUND')
    }),
  )
  // A malformed object can break its endpoint, which would be a 500 at PayPal too.
  app.onError(() => {
    const { status, body, headers } = errorResponse('500', undefined)
    return new Response(body, { status, headers })
  })
  return app
}

/** Three letters and a long number, as PayPal's ids are. */
function referenceOf(token: string): string {
  const digits = Array.from(token.slice(3, 17), (letter) => letter.charCodeAt(0) % 10)
  return `PP-R-${token.slice(0, 3).toUpperCase()}-${digits.join('')}`
}

function reshapePage(kind: 'empty_page' | 'repeated_item' | 'endless_pages', body: string): string {
  const page = JSON.parse(body) as JsonObject
  const items = Array.isArray(page.items) ? page.items : []
  const links = (Array.isArray(page.links) ? page.links : []) as { rel: string; href: string; method: string }[]
  if (kind === 'repeated_item') return JSON.stringify({ ...page, items: [...items.slice(0, 1), ...items] })
  const self = links.find((link) => link.rel === 'self')?.href ?? ''
  const others = links.filter((link) => link.rel !== 'next')
  if (kind === 'endless_pages') {
    return JSON.stringify({ ...page, links: [...others, { rel: 'next', href: self, method: 'GET' }] })
  }
  const ahead = new URL(self)
  ahead.searchParams.set('page', String(Number(ahead.searchParams.get('page')) + 1))
  const next: Json = { rel: 'next', href: ahead.toString(), method: 'GET' }
  return JSON.stringify({ links: [...others, next] })
}

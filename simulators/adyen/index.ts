import { Hono } from 'hono'
import type { SimulatorApp } from '../engine/conduct.ts'
import type { ErrorAnswerKind, FaultAnswer, JsonObject } from '../engine/contract.ts'
import type { SimulatorDefinition } from '../engine/definition.ts'
import type { DisputeEngine } from '../engine/engine.ts'
import { AdyenRefusal, operation, serviceError } from './authenticate.ts'
import { buildDispute, readDispute } from './dispute.ts'
import { DEMO_ACCOUNT, DEMO_KEY, HMAC_KEY, REFUSED_KEY, RESTRICTED_KEY, SECOND_ACCOUNT } from './keys.ts'
import { decideDispute, expireDispute, setAmount, setDeadline, setStatus } from './lifecycle.ts'
import {
  alterNotification,
  eventsBetween,
  firstEvents,
  malformedText,
  notification,
  plantedEvents,
} from './notifications.ts'
import { disputeReport } from './report.ts'
import {
  acceptDispute,
  defendDispute,
  deleteDisputeDefenseDocument,
  retrieveApplicableDefenseReasons,
  supplyDefenseDocument,
} from './service.ts'
import { CURRENCIES, REASONS, SITUATIONS } from './situations.ts'

/** Path of the dispute service at Adyen. */
export const SERVICE = '/ca/services/DisputeService/v30'

/**
 * Adyen's dispute service, version 30, and the webhooks that report disputes. It has no call that lists or reads them.
 */
export const adyenSimulator: SimulatorDefinition = {
  source: 'adyen',
  baseUrlVariable: 'ADYEN_API_URL',
  portOffset: 4,
  secretType: 'HMAC',
  externalIdentifier: SECOND_ACCOUNT,
  secretPayload: { hmac: HMAC_KEY, apiKey: DEMO_KEY },
  refusedSecretPayload: { hmac: HMAC_KEY, apiKey: REFUSED_KEY },
  restrictedSecretPayload: { hmac: HMAC_KEY, apiKey: RESTRICTED_KEY },
  notifiesOnly: true,
  profile: {
    homeAccount: DEMO_ACCOUNT,
    situations: SITUATIONS,
    reasons: REASONS,
    currencies: CURRENCIES,
    idempotencyHeader: 'idempotency-key',
    notificationSecret: HMAC_KEY,
    referenceOf: (token) => token.slice(0, 16).toUpperCase(),
    build: (plan) => buildDispute(plan) as unknown as JsonObject,
    read: readDispute,
    firstEvents,
    eventsBetween,
    plantedEvents,
    expire: expireDispute,
    decide: decideDispute,
    setDeadline,
    malformed: malformedText,
    setStatus,
    setAmount,
    errorResponse,
    unprocessableAnswer: () => serviceError(422, '702', 'The request could not be processed', 'validation'),
    // There is no list to malform.
    reshapePage: (_kind, body) => body,
    alterNotification,
    notification,
  },
  routes,
}

function routes(engine: DisputeEngine): SimulatorApp {
  const app: SimulatorApp = new Hono()
  app.post(`${SERVICE}/retrieveApplicableDefenseReasons`, operation(engine, retrieveApplicableDefenseReasons))
  app.post(`${SERVICE}/supplyDefenseDocument`, operation(engine, supplyDefenseDocument))
  app.post(`${SERVICE}/deleteDisputeDefenseDocument`, operation(engine, deleteDisputeDefenseDocument))
  app.post(`${SERVICE}/defendDispute`, operation(engine, defendDispute))
  app.post(`${SERVICE}/acceptDispute`, operation(engine, acceptDispute))
  app.get('/reports/download/:level/:name/:file', disputeReport(engine))
  app.all('*', () => asResponse(serviceError(404, '000', 'No such operation', 'validation')))
  // A malformed object can break its operation, which would be a 500 at Adyen too.
  app.onError((error) => asResponse(error instanceof AdyenRefusal ? error.answer : errorResponse('500', undefined)))
  return app
}

function asResponse({ status, body, headers }: FaultAnswer): Response {
  return new Response(body, { status, headers })
}

function errorResponse(kind: ErrorAnswerKind, retryAfter: string | undefined): FaultAnswer {
  const answer = answerOf(kind)
  if (retryAfter !== undefined) answer.headers['retry-after'] = retryAfter
  return answer
}

function answerOf(kind: ErrorAnswerKind): FaultAnswer {
  switch (kind) {
    case '401':
      return serviceError(401, '000', 'HTTP Status Response - Unauthorized', 'security')
    case '403':
      return serviceError(403, '010', 'Not allowed', 'security')
    case '409':
      return serviceError(409, '704', 'request already processed or in progress', 'validation', true)
    case '429':
      return serviceError(429, '000', 'Too many requests', 'validation')
    case '500':
      return serviceError(500, '000', 'Internal error', 'internal')
    case '503':
      return {
        status: 503,
        body: '',
        headers: { 'content-type': 'application/json;charset=UTF-8', 'transient-error': 'true' },
      }
  }
}

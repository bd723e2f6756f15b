import { createHmac } from 'node:crypto'
import { Hono } from 'hono'
import { SANDBOX_SOURCE } from '../../domain/chargeback.ts'
import type { SimulatorApp } from '../engine/conduct.ts'
import type { DisputeLookup, EventRecord } from '../engine/contract.ts'
import type { SimulatorDefinition } from '../engine/definition.ts'
import type { DisputeEngine } from '../engine/engine.ts'
import { accept, retrieve, retrieveTransaction, submit, upload } from './actions.ts'
import { buildChargeback } from './chargeback.ts'
import { type Endpoint, endpoint } from './endpoint.ts'
import { feedPage } from './feed.ts'
import {
  decide,
  eventsBetween,
  expire,
  firstEvents,
  malformed,
  plantedEvents,
  readChargeback,
  setAmount,
  setDeadline,
  setStatus,
  touch,
} from './lifecycle.ts'
import { errorBody, errorResponse, reshapePage } from './responses.ts'
import { CURRENCIES, REASONS, SITUATIONS } from './situations.ts'

export const SANDBOX_ACCOUNT = 'sandbox-demo'
const SIGNING_SECRET = 'recoup-demo-signing-5d20be'

/** The sandbox PSP: a change feed, and writes with immediate effect. */
export const sandboxSimulator: SimulatorDefinition = {
  source: SANDBOX_SOURCE,
  baseUrlVariable: 'SANDBOX_API_URL',
  portOffset: 5,
  secretType: 'APIKEY_ONLY',
  externalIdentifier: 'sandbox-second',
  secretPayload: { apiKey: 'recoup-demo-9f31c7', notificationSecret: SIGNING_SECRET },
  refusedSecretPayload: { apiKey: 'refused_9f31c7' },
  restrictedSecretPayload: { apiKey: 'restricted_9f31c7' },
  profile: {
    homeAccount: SANDBOX_ACCOUNT,
    situations: SITUATIONS,
    reasons: REASONS,
    currencies: CURRENCIES,
    idempotencyHeader: 'idempotency-key',
    notificationSecret: SIGNING_SECRET,
    referenceOf: (token) => `sbx_${token}`,
    build: buildChargeback,
    read: readChargeback,
    firstEvents,
    plantedEvents,
    eventsBetween,
    expire,
    decide,
    setDeadline,
    touch,
    malformed,
    setStatus,
    setAmount,
    errorResponse,
    reshapePage,
    notification,
  },
  routes,
}

function routes(engine: DisputeEngine): SimulatorApp {
  const app: SimulatorApp = new Hono()
  const at = (definition: Endpoint) => endpoint(engine, definition)
  const account = '/v1/accounts/:account'
  const one = `${account}/chargebacks/:id`
  app.get(account, at({ run: (request) => JSON.stringify({ account: request.account.id, environment: 'sandbox' }) }))
  app.get(`${account}/chargebacks`, at({ run: (request) => feedPage(engine, request.account, request.query) }))
  app.get(one, at({ run: retrieve }))
  app.get(`${one}/transaction`, at({ run: retrieveTransaction }))
  app.post(`${one}/accept`, at({ takes: [], run: accept }))
  app.post(`${one}/files`, at({ takes: ['name', 'type', 'content'], run: upload }))
  app.post(`${one}/evidence`, at({ takes: ['digest', 'files', 'texts'], run: submit }))
  // Not `notFound`: of an application that is mounted in another one that is never asked.
  app.all('*', (c) =>
    c.body(errorBody('not_found', 'There is no such path.'), 404, { 'content-type': 'application/json' }),
  )
  // A malformed object can break its endpoint.
  app.onError(() => {
    const { status, body, headers } = errorResponse('500', undefined)
    return new Response(body, { status, headers })
  })
  return app
}

/** Signed in the form that `notifications.ts` verifies. */
function notification(
  _engine: DisputeLookup,
  event: EventRecord,
  secret: string,
  signedAt: number,
): { body: string; headers: Record<string, string> } {
  const { id, type, account, reference: chargebackId } = event
  const body = JSON.stringify({ id, type, account, chargebackId, at: new Date(event.at * 1000).toISOString() })
  const signature = createHmac('sha256', secret).update(`${signedAt}.${body}`).digest('hex')
  return {
    body,
    headers: { 'content-type': 'application/json', 'sandbox-signature': `t=${signedAt},v1=${signature}` },
  }
}

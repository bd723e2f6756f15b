import { Hono } from 'hono'
import type { SimulatorApp } from '../engine/conduct.ts'
import type { ErrorAnswerKind, FaultAnswer, JsonObject } from '../engine/contract.ts'
import type { SimulatorDefinition } from '../engine/definition.ts'
import type { DisputeEngine } from '../engine/engine.ts'
import { buildDispute, historyEntry, instant } from './dispute.ts'
import { accept, finalize, findDispute, findTransaction, listMerchantAccounts, searchDisputes } from './disputes.ts'
import { type Endpoint, endpoint, respond, type Switches } from './endpoint.ts'
import { eventsBetween, firstEvents, notification } from './events.ts'
import { addEvidence, removeEvidence } from './evidence.ts'
import { createUpload } from './files.ts'
import { DEMO_KEYS, DEMO_MERCHANT, keysOfMerchant, REFUSED_KEYS, RESTRICTED_KEYS, SECOND_MERCHANT } from './keys.ts'
import { decideDispute, expireDispute, readDispute, setAmount, setDeadline, setStatus } from './lifecycle.ts'
import { malformed, reshapePage } from './malformed.ts'
import { CURRENCIES, REASONS, SITUATIONS } from './situations.ts'

export { DEMO_MERCHANT, VIEW_ONLY_KEYS } from './keys.ts'

const REFERENCE_LENGTH = 16

/** Braintree's gateway for disputes, as braintree@3.40.0 and the SDKs of other languages see it. */
export function createBraintreeSimulator(switches: Partial<Switches> = {}): SimulatorDefinition {
  const settings: Switches = { answers: 'dispute', pageSize: 50, evidenceRequired: true, gzip: false, ...switches }
  return {
    source: 'braintree',
    baseUrlVariable: 'BRAINTREE_API_URL',
    portOffset: 3,
    secretType: 'PUBLIC_SECRET_KEY',
    externalIdentifier: SECOND_MERCHANT,
    secretPayload: payload(keysOfMerchant(SECOND_MERCHANT)),
    homeSecretPayload: payload(DEMO_KEYS),
    refusedSecretPayload: payload(REFUSED_KEYS),
    restrictedSecretPayload: payload(RESTRICTED_KEYS),
    profile: {
      homeAccount: DEMO_MERCHANT,
      situations: SITUATIONS,
      reasons: REASONS,
      currencies: CURRENCIES,
      idempotencyHeader: null,
      notificationSecret: DEMO_KEYS.privateKey,
      notificationSecretOf: (merchant) => keysOfMerchant(merchant).privateKey,
      referenceOf: (token) => token.slice(0, REFERENCE_LENGTH).toLowerCase(),
      build: buildDispute,
      read: readDispute,
      firstEvents,
      eventsBetween,
      expire: expireDispute,
      decide: decideDispute,
      setDeadline,
      touch,
      malformed,
      setStatus,
      setAmount,
      currencyOf: (dispute) => dispute.currencyIsoCode,
      errorResponse,
      reshapePage,
      notification,
    },
    routes: (engine) => routes(engine, settings),
  }
}

export const braintreeSimulator = createBraintreeSimulator()

function payload({ publicKey, privateKey }: typeof DEMO_KEYS): Record<string, string> {
  return { publicKey, secretKey: privateKey }
}

function routes(engine: DisputeEngine, switches: Switches): SimulatorApp {
  const app: SimulatorApp = new Hono()
  const at = (definition: Endpoint) => endpoint(engine, switches, definition)
  const merchant = '/merchants/:merchant'
  const dispute = `${merchant}/disputes/:id`
  app.post(`${merchant}/disputes/advanced_search`, at({ right: 'view disputes', run: searchDisputes }))
  app.get(dispute, at({ right: 'view disputes', run: findDispute }))
  app.put(`${dispute}/accept`, at({ right: 'manage disputes', run: accept }))
  app.put(`${dispute}/finalize`, at({ right: 'manage disputes', run: finalize }))
  app.post(`${dispute}/evidence`, at({ right: 'manage disputes', run: addEvidence }))
  app.delete(`${dispute}/evidence/:evidenceId`, at({ right: 'manage disputes', run: removeEvidence }))
  app.post(`${merchant}/document_uploads`, at({ right: 'manage disputes', run: createUpload, multipart: true }))
  app.get(`${merchant}/transactions/:id`, at({ right: 'view transactions', run: findTransaction }))
  const accounts = at({ right: 'view merchant accounts', run: listMerchantAccounts })
  app.get(`${merchant}/merchant_accounts`, accounts)
  // The SDK for Python uses this form.
  app.get(`${merchant}/merchant_accounts/`, accounts)
  app.notFound(() => respond(404, ''))
  app.onError(() => respond(500, ''))
  return app
}

/** After any change of a dispute: Braintree stamps it, and a change of status adds a history entry. */
function touch(before: JsonObject, after: JsonObject, at: number): void {
  if (JSON.stringify(before) === JSON.stringify(after)) return
  const history = Array.isArray(after.statusHistory) ? after.statusHistory : []
  const entries = Array.isArray(before.statusHistory) ? before.statusHistory.length : 0
  if (before.status !== after.status && history.length === entries) {
    after.statusHistory = [...history, historyEntry(String(after.status), at, false)]
  }
  if (before.updatedAt === after.updatedAt) after.updatedAt = instant(at)
}

function errorResponse(kind: ErrorAnswerKind, retryAfter: string | undefined): FaultAnswer {
  const headers: Record<string, string> = { 'content-type': 'application/xml; charset=utf-8' }
  if (retryAfter !== undefined) headers['retry-after'] = retryAfter
  return { status: Number(kind), headers, body: '' }
}

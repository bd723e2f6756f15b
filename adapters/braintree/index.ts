import type { Adapter, AdapterContext, AdapterDefinition } from '../contract.ts'
import { defineAdapter } from '../define.ts'
import { ACCEPT_STAGES, acceptDispute } from './accept.ts'
import { API_VERSION, offlineGateway, openClient } from './client.ts'
import { refusedTexts } from './companions.ts'
import { fetchContext, toTransaction } from './context.ts'
import { checkCredentials } from './credentials.ts'
import { type BraintreeCursor, braintreeCursor, LOOKBACK_DAYS } from './cursor.ts'
import { uploadFile } from './documents/upload.ts'
import { describeEvidence, stageEvidence, submitEvidence } from './evidence.ts'
import { EVIDENCE_LIMITS, TEXT_FACTS, TEXT_SOURCES } from './evidence-limits.ts'
import { readDispute } from './fetch.ts'
import { listDisputes, PAGE_SIZE } from './list.ts'
import { answerChallenge, hasDeliveryHeaders, readNotification, verifyNotification } from './notifications.ts'
import { placesOf, planSubmission } from './plan.ts'
import { probe } from './probe.ts'
import { TIMEOUT_MS } from './sdk/transport.ts'
import { type BraintreeSecret, braintreeSecret, checkConfiguration, guide } from './secret.ts'
import { TRANSLATION_VERSION, toChargeback } from './translate.ts'

/** Braintree. Its surprises, and the test that pins each, are in BEHAVIOR.md. */
export const braintree: AdapterDefinition<BraintreeSecret, BraintreeCursor> = defineAdapter({
  source: 'braintree',
  displayName: 'Braintree',
  apiVersion: API_VERSION,
  baseUrlVariable: 'BRAINTREE_API_URL',
  secrets: {
    PUBLIC_SECRET_KEY: {
      schema: braintreeSecret,
      secretFields: ['secretKey'],
      notificationFields: ['publicKey', 'secretKey'],
    },
  },
  guide,
  cursor: braintreeCursor,
  capabilities: {
    listing: 'updated_window',
    maxLookbackDays: LOOKBACK_DAYS,
    enrich: true,
    accept: { stages: ACCEPT_STAGES, idempotent: false },
    contest: { stages: ACCEPT_STAGES, mode: 'staged', requirements: 'static', resubmit: false, filesApi: true },
    notifications: { signature: 'hmac' },
  },
  // Limits are unpublished; merchants share them with their own payments.
  limits: { requestsPerSecond: 5, burst: 5, pageSize: PAGE_SIZE, timeoutMs: TIMEOUT_MS, idempotencyKeyLength: 0 },
  evidence: EVIDENCE_LIMITS,
  textSources: TEXT_SOURCES,
  textTable: { fields: TEXT_FACTS, refused: refusedTexts, placesOf },
  disputeNames: 'sub_account',
  checkConfiguration,
  toChargeback,
  translationVersion: TRANSLATION_VERSION,
  toTransaction,
  planSubmission,
  hasDeliveryHeaders,
  connect,
})

/** @throws PspError config_invalid for a secret or identifier that can't work */
function connect(ctx: AdapterContext<BraintreeSecret>) {
  checkConfiguration(ctx)
  const client = openClient(ctx)
  const keys = offlineGateway(ctx)
  return {
    checkCredentials: () => checkCredentials(client, ctx),
    listDisputes: ({ cursor }) => listDisputes(client, ctx.now(), cursor),
    fetchDispute: async (reference) => (await readDispute(client, reference)).raw,
    fetchContext: (dispute) => fetchContext(client, dispute),
    acceptDispute: (request) => acceptDispute(client, request),
    describeEvidence: (reference) => describeEvidence(client, reference),
    uploadFile: (request) => uploadFile(client, request),
    stageEvidence: (request) => stageEvidence(client, request),
    submitEvidence: (request) => submitEvidence(client, request),
    probe: (question) => probe(client, question),
    verifyNotification: (request) => verifyNotification(keys, ctx.now(), request),
    readNotification: (envelope) => readNotification(client.merchantAccountCodes, envelope),
    answerChallenge: (challenge) => answerChallenge(keys, challenge),
  } satisfies Adapter<BraintreeCursor>
}

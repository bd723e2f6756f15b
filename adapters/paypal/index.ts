import type { Adapter, AdapterContext, AdapterDefinition } from '../contract.ts'
import { defineAdapter } from '../define.ts'
import { ACCEPT_STAGES, acceptDispute } from './accept.ts'
import { API_VERSION, KEY_LENGTH, openClient } from './client.ts'
import { fetchContext } from './context.ts'
import { checkCredentials } from './credentials.ts'
import { LOOKBACK_DAYS, type PayPalCursor, paypalCursor } from './cursor.ts'
import { describeEvidence, submitEvidence } from './evidence.ts'
import { EVIDENCE_LIMITS, TEXT_FACTS, TEXT_SOURCES } from './evidence-limits.ts'
import { readDispute } from './fetch.ts'
import { listDisputes, PAGE_SIZE } from './list.ts'
import { hasDeliveryHeaders, readNotification, verifyNotification } from './notifications.ts'
import { orphans, placesOf, planSubmission } from './plan.ts'
import { probe } from './probe.ts'
import { TIMEOUT_MS } from './sdk/transport.ts'
import { checkConfiguration, guide, type PayPalSecret, paypalSecret } from './secret.ts'
import { toTransaction } from './transaction.ts'
import { TRANSLATION_VERSION, toChargeback } from './translate.ts'

/** PayPal. Its surprises, and the test that pins each, are in BEHAVIOR.md. */
export const paypal: AdapterDefinition<PayPalSecret, PayPalCursor> = defineAdapter({
  source: 'paypal',
  displayName: 'PayPal',
  apiVersion: API_VERSION,
  baseUrlVariable: 'PAYPAL_API_URL',
  secrets: { BASIC_AUTH: { schema: paypalSecret, secretFields: ['clientSecret'], notificationFields: ['webhookId'] } },
  guide,
  cursor: paypalCursor,
  capabilities: {
    listing: 'updated_window',
    maxLookbackDays: LOOKBACK_DAYS,
    enrich: true,
    accept: { stages: ACCEPT_STAGES, decidedBy: 'link', idempotent: false },
    contest: {
      stages: ['inquiry', 'claim', 'chargeback', 'second_chargeback', 'third_chargeback'],
      decidedBy: 'link',
      mode: 'single_shot',
      requirements: 'per_dispute',
      resubmit: true,
      filesApi: false,
    },
    notifications: { signature: 'certificate' },
  },
  // PayPal publishes no limits; at this rate a page of 50 details takes ten seconds.
  limits: {
    requestsPerSecond: 5,
    burst: 10,
    pageSize: PAGE_SIZE,
    timeoutMs: TIMEOUT_MS,
    idempotencyKeyLength: KEY_LENGTH,
  },
  evidence: EVIDENCE_LIMITS,
  disputeNames: 'account',
  textSources: TEXT_SOURCES,
  textTable: { fields: TEXT_FACTS, refused: orphans, placesOf },
  checkConfiguration,
  toChargeback,
  translationVersion: TRANSLATION_VERSION,
  toTransaction,
  planSubmission,
  hasDeliveryHeaders,
  connect,
})

/** @throws PspError config_invalid for a secret or identifier that can't work */
function connect(ctx: AdapterContext<PayPalSecret>) {
  checkConfiguration(ctx)
  const client = openClient(ctx)
  return {
    checkCredentials: () => checkCredentials(client, ctx),
    listDisputes: (request) =>
      listDisputes(client, { now: ctx.now(), typed: ctx.pspAccount === null ? ctx.externalIdentifier : null }, request),
    fetchDispute: async (reference) => (await readDispute(client, reference)).raw,
    fetchContext: (dispute) => fetchContext(client, ctx.now(), dispute),
    acceptDispute: (request) => acceptDispute(client, request),
    describeEvidence: (reference) => describeEvidence(client, ctx.now(), reference),
    submitEvidence: (request) => submitEvidence(client, ctx.now(), request),
    probe: (question) => probe(client, question),
    verifyNotification: (request) => verifyNotification(client, { id: ctx.secret.webhookId, now: ctx.now() }, request),
    readNotification,
  } satisfies Adapter<PayPalCursor>
}

import type { Adapter, AdapterContext, AdapterDefinition } from '../contract.ts'
import { defineAdapter } from '../define.ts'
import { ACCEPT_STAGES, acceptDispute } from './accept.ts'
import { API_VERSION, KEY_LENGTH, openClient, TIMEOUT_MS } from './client.ts'
import { fetchContext, toTransaction } from './context.ts'
import { checkCredentials } from './credentials.ts'
import { type AdyenCursor, adyenCursor, LOOKBACK_DAYS } from './cursor.ts'
import { joinPosted } from './events/items.ts'
import { describeEvidence, stageEvidence, submitEvidence } from './evidence.ts'
import { EVIDENCE_LIMITS } from './evidence-limits.ts'
import { fetchDispute } from './fetch.ts'
import { openMailbox } from './inbox.ts'
import { listDisputes, PAGE_SIZE } from './list.ts'
import { ANSWER, hasDeliveryHeaders, readNotification, verifyNotification } from './notifications.ts'
import { planSubmission } from './plan.ts'
import { checkAnswerable, probe } from './probe.ts'
import { type AdyenSecret, adyenSecret, checkConfiguration, guide } from './secret.ts'
import { TRANSLATION_VERSION, toChargeback } from './translate.ts'

/** Adyen. Its surprises, and the test that pins each, are in BEHAVIOR.md. */
export const adyen: AdapterDefinition<AdyenSecret, AdyenCursor> = defineAdapter({
  source: 'adyen',
  displayName: 'Adyen',
  apiVersion: API_VERSION,
  baseUrlVariable: 'ADYEN_API_URL',
  secrets: {
    HMAC: {
      schema: adyenSecret,
      secretFields: ['hmac', 'apiKey', 'webhookPassword'],
      notificationFields: ['hmac', 'webhookUsername', 'webhookPassword'],
    },
  },
  guide,
  cursor: adyenCursor,
  capabilities: {
    listing: 'inbox',
    maxLookbackDays: LOOKBACK_DAYS,
    enrich: true,
    // The key is sent; whether Adyen's dispute service honours it is unverified.
    accept: { stages: ACCEPT_STAGES, idempotent: false },
    contest: {
      stages: ['inquiry', 'chargeback', 'second_chargeback'],
      mode: 'staged',
      requirements: 'per_dispute',
      resubmit: false,
      filesApi: false,
    },
    notifications: { signature: 'hmac', answer: ANSWER },
  },
  // Adyen publishes no limit for this service; only writes and evidence call it.
  limits: {
    requestsPerSecond: 5,
    burst: 10,
    pageSize: PAGE_SIZE,
    timeoutMs: TIMEOUT_MS,
    idempotencyKeyLength: KEY_LENGTH,
  },
  evidence: EVIDENCE_LIMITS,
  disputeNames: 'account',
  checkConfiguration,
  toChargeback,
  translationVersion: TRANSLATION_VERSION,
  toTransaction,
  joinPosted,
  planSubmission,
  hasDeliveryHeaders,
  connect,
})

/** @throws PspError config_invalid for a secret or identifier that can't work */
function connect(ctx: AdapterContext<AdyenSecret>) {
  checkConfiguration(ctx)
  const client = openClient(ctx)
  const { merchantAccount } = client
  const mailbox = () => openMailbox(ctx.inbox, merchantAccount, client.live)
  return {
    checkCredentials: () => checkCredentials(client),
    listDisputes: async (request) => listDisputes(mailbox(), request),
    fetchDispute: async (reference) => fetchDispute(mailbox(), reference),
    fetchContext: async (dispute) => fetchContext(mailbox(), dispute),
    acceptDispute: async (request) => acceptDispute(client, mailbox(), ctx.now(), request),
    describeEvidence: async (reference) => describeEvidence(client, mailbox(), ctx.now(), reference),
    stageEvidence: async (request) => stageEvidence(client, mailbox(), ctx.now(), request),
    submitEvidence: async (request) => submitEvidence(client, mailbox(), ctx.now(), request),
    probe: async (question) => probe(mailbox(), question),
    checkAnswerable: async (reference) => checkAnswerable(client, reference),
    verifyNotification: (request) => verifyNotification({ secret: ctx.secret, merchantAccount }, request),
    readNotification,
  } satisfies Adapter<AdyenCursor>
}

import type { Adapter, AdapterContext, AdapterDefinition } from '../contract.ts'
import { defineAdapter } from '../define.ts'
import { ACCEPT_STAGES, acceptDispute } from './accept.ts'
import { accountOf, KEY_LENGTH, openClient } from './client.ts'
import { fetchContext, toTransaction } from './context.ts'
import { checkCredentials, confirmAccount } from './credentials.ts'
import { LOOKBACK_DAYS, type StripeCursor, stripeCursor } from './cursor.ts'
import { toEarlyWarning } from './early-warning.ts'
import { describeEvidence, stageEvidence, submitEvidence, uploadFile } from './evidence.ts'
import { EVIDENCE_LIMITS, TEXT_FACTS, TEXT_SOURCES } from './evidence-limits.ts'
import { chargeExpansion, readDispute } from './fetch.ts'
import { listDisputes, PAGE_SIZE } from './list.ts'
import { hasDeliveryHeaders, readNotification, verifyNotification } from './notifications.ts'
import { planSubmission } from './plan.ts'
import { probe } from './probe.ts'
import { API_VERSION, TIMEOUT_MS } from './sdk.ts'
import { checkConfiguration, guide, type StripeSecret, stripeSecret } from './secret.ts'
import { TRANSLATION_VERSION, toChargeback } from './translate.ts'

/** Stripe. Its surprises, and the test that pins each, are in BEHAVIOR.md. */
export const stripe: AdapterDefinition<StripeSecret, StripeCursor> = defineAdapter({
  source: 'stripe',
  displayName: 'Stripe',
  apiVersion: API_VERSION,
  baseUrlVariable: 'STRIPE_API_URL',
  secrets: {
    APIKEY_ONLY: {
      schema: stripeSecret,
      secretFields: ['apiKey', 'webhookSecret'],
      notificationFields: ['webhookSecret'],
    },
  },
  guide,
  cursor: stripeCursor,
  capabilities: {
    listing: 'created_window',
    maxLookbackDays: LOOKBACK_DAYS,
    enrich: true,
    accept: { stages: ACCEPT_STAGES, idempotent: true },
    contest: {
      stages: ACCEPT_STAGES,
      mode: 'staged',
      requirements: 'per_dispute',
      resubmit: false,
      filesApi: true,
    },
    notifications: { signature: 'hmac' },
  },
  // Stripe allows 25 requests per second and endpoint (in a sandbox 25 in total), and the merchant uses the same limit:
  // together Recoup never uses more.
  limits: {
    requestsPerSecond: 10,
    burst: 15,
    pageSize: PAGE_SIZE,
    timeoutMs: TIMEOUT_MS,
    idempotencyKeyLength: KEY_LENGTH,
  },
  evidence: EVIDENCE_LIMITS,
  textSources: TEXT_SOURCES,
  textTable: { fields: TEXT_FACTS },
  accountOf,
  checkConfiguration,
  toChargeback,
  translationVersion: TRANSLATION_VERSION,
  toEarlyWarning,
  toTransaction,
  planSubmission,
  hasDeliveryHeaders,
  connect,
})

/** @throws PspError config_invalid for a secret or identifier that can't work */
function connect(ctx: AdapterContext<StripeSecret>) {
  checkConfiguration(ctx)
  const client = openClient(ctx)
  const expansion = chargeExpansion()
  return {
    checkCredentials: () =>
      checkCredentials(
        { apiKey: ctx.secret.apiKey, externalIdentifier: ctx.externalIdentifier, environment: ctx.environment },
        (pspAccount) => openClient({ ...ctx, pspAccount }),
      ),
    confirmAccount: () => confirmAccount(client),
    listDisputes: (request) => listDisputes(client, expansion, ctx.now(), request),
    fetchDispute: async (reference) => (await readDispute(client, expansion, reference)).raw,
    fetchContext: (dispute) => fetchContext(client, dispute),
    acceptDispute: (request) => acceptDispute(client, expansion, request),
    describeEvidence: (reference) => describeEvidence(client, expansion, ctx.now(), reference),
    uploadFile: (request) => uploadFile(client, request),
    stageEvidence: (request) => stageEvidence(client, expansion, ctx.now(), request),
    submitEvidence: (request) => submitEvidence(client, expansion, ctx.now(), request),
    probe: (question) => probe(client, expansion, ctx.now(), question),
    verifyNotification: (request) =>
      verifyNotification(
        {
          webhookSecret: ctx.secret.webhookSecret,
          externalIdentifier: ctx.externalIdentifier,
          pspAccount: ctx.pspAccount,
          now: ctx.now(),
        },
        request,
      ),
    readNotification,
  } satisfies Adapter<StripeCursor>
}

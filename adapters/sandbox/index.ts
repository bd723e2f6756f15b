import { SANDBOX_SOURCE } from '../../domain/chargeback.ts'
import type { Adapter, AdapterContext, AdapterDefinition } from '../contract.ts'
import { defineAdapter } from '../define.ts'
import { PspError } from '../errors.ts'
import { ACCEPT_STAGES, acceptDispute } from './accept.ts'
import { API_VERSION, KEY_LENGTH, openClient, TIMEOUT_MS } from './client.ts'
import { fetchContext, toTransaction } from './context.ts'
import { checkCredentials, confirmAccount } from './credentials.ts'
import { LOOKBACK_DAYS, type SandboxCursor, sandboxCursor } from './cursor.ts'
import { describeEvidence, submitEvidence, uploadFile } from './evidence.ts'
import { EVIDENCE_LIMITS, TEXT_FACTS, TEXT_SOURCES } from './evidence-limits.ts'
import { readChargeback, type Sandbox } from './fetch.ts'
import { listDisputes, PAGE_SIZE } from './list.ts'
import { hasDeliveryHeaders, readNotification, verifyNotification } from './notifications.ts'
import { planSubmission } from './plan.ts'
import { probe } from './probe.ts'
import { checkConfiguration, guide, type SandboxSecret, sandboxSecrets, signingSecretOf } from './secret.ts'
import { TRANSLATION_VERSION, toChargeback } from './translate.ts'

/** The sandbox: a PSP that takes every secretType, and raw data that clients post. BEHAVIOR.md says how it behaves. */
export const sandbox: AdapterDefinition<SandboxSecret, SandboxCursor> = defineAdapter({
  source: SANDBOX_SOURCE,
  displayName: 'Recoup sandbox',
  apiVersion: API_VERSION,
  baseUrlVariable: 'SANDBOX_API_URL',
  secrets: sandboxSecrets,
  guide,
  cursor: sandboxCursor,
  capabilities: {
    listing: 'updated_window',
    maxLookbackDays: LOOKBACK_DAYS,
    rawData: true,
    enrich: true,
    accept: { stages: ACCEPT_STAGES, idempotent: true },
    contest: {
      stages: ACCEPT_STAGES,
      mode: 'single_shot',
      requirements: 'per_dispute',
      resubmit: false,
      filesApi: true,
    },
    notifications: { signature: 'hmac' },
  },
  limits: {
    requestsPerSecond: 50,
    burst: 100,
    pageSize: PAGE_SIZE,
    timeoutMs: TIMEOUT_MS,
    idempotencyKeyLength: KEY_LENGTH,
  },
  evidence: EVIDENCE_LIMITS,
  textSources: TEXT_SOURCES,
  textTable: { fields: TEXT_FACTS },
  checkConfiguration,
  toChargeback,
  translationVersion: TRANSLATION_VERSION,
  toTransaction,
  planSubmission,
  hasDeliveryHeaders,
  connect,
})

/** @throws PspError config_invalid for an invalid secret or identifier, and in production */
function connect(ctx: AdapterContext<SandboxSecret>) {
  if (ctx.environment === 'production') {
    throw new PspError('config_invalid', 'recoup_sandbox exists in the sandbox environment only.')
  }
  checkConfiguration(ctx)
  const own: Sandbox = { client: openClient(ctx), inbox: ctx.inbox, secret: ctx.secret, now: ctx.now }
  return {
    checkCredentials: () => checkCredentials(own.client, ctx.secret, ctx.externalIdentifier),
    confirmAccount: () => confirmAccount(own.client, ctx.externalIdentifier),
    listDisputes: (request) => listDisputes(own, request),
    fetchDispute: async (reference) => (await readChargeback(own, reference)).raw,
    fetchContext: (dispute) => fetchContext(own, dispute),
    acceptDispute: (request) => acceptDispute(own, request),
    describeEvidence: (reference) => describeEvidence(own, reference),
    uploadFile: (request) => uploadFile(own, request),
    submitEvidence: (request) => submitEvidence(own, request),
    probe: (question) => probe(own, question),
    verifyNotification: (request) =>
      verifyNotification(
        { secret: signingSecretOf(ctx.secret), externalIdentifier: ctx.externalIdentifier, now: ctx.now() },
        request,
      ),
    readNotification,
  } satisfies Adapter<SandboxCursor>
}

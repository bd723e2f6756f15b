import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import type { AdapterContext } from '../contract.ts'
import { PspError } from '../errors.ts'
import { capturingFetch } from '../shared/http.ts'
import { asRecord } from '../shared/raw-json.ts'
import { type Call, connectionError, noResponse, refusalOf } from './errors.ts'
import { parsed } from './facts.ts'
import { type AdyenSecret, merchantAccountOf } from './secret.ts'

// The SDK is CommonJS whose exports Node can't detect, and its root loads every API of Adyen, which takes more than a
// second at start. So only the needed part is required.
const load = createRequire(import.meta.url)
const { default: Client } = load(
  '@adyen/api-library/lib/src/client.js',
) as typeof import('@adyen/api-library/lib/src/client.js')
const { default: Config, EnvironmentEnum } = load(
  '@adyen/api-library/lib/src/config.js',
) as typeof import('@adyen/api-library/lib/src/config.js')
const { DisputesApi } = load(
  '@adyen/api-library/lib/src/services/disputes/disputesApi.js',
) as typeof import('@adyen/api-library/lib/src/services/disputes/disputesApi.js')

/** Version of the Disputes API in the path of every call. */
export const API_VERSION = '30'
/** Deadline of one call, body included. The SDK has none unless it is created with a Config. */
export const TIMEOUT_MS = 25_000
/** Longest Idempotency-Key that Adyen accepts (Adyen docs, API idempotency). */
export const KEY_LENGTH = 64

const NO = '{"disputeServiceResult":{"success":false}}'

export interface Reason {
  code: string
  satisfied: boolean
  documents: { type: string; level: string; available: boolean }[]
}

export interface Document {
  content: Uint8Array
  contentType: string
  type: string
}

/** Result of a call: Adyen responds 200 to refusals too. */
export interface Result {
  success: boolean
  requestId: string | null
}

/** Adyen's dispute service for one merchant account. Errors are PspErrors; a refusal with status 200 is a Result. */
export interface AdyenClient {
  merchantAccount: string
  live: boolean
  /** A sentence about the credential for the merchant. */
  reachable(reference: string): Promise<string>
  /** Null when Adyen refuses (200 or 422): the dispute can't be defended, or does not exist. */
  reasons(reference: string): Promise<Reason[] | null>
  supply(reference: string, documents: readonly Document[], key: string): Promise<Result>
  /** Deletes an uploaded document that was not sent to the issuer yet. */
  remove(reference: string, type: string, key: string): Promise<Result>
  defend(reference: string, reasonCode: string, key: string): Promise<Result>
  accept(reference: string, key: string): Promise<Result>
}

type Api = InstanceType<typeof DisputesApi>

export function openClient(ctx: AdapterContext<AdyenSecret>): AdyenClient {
  const merchantAccount = merchantAccountOf(ctx)
  const live = ctx.environment === 'production'

  /**
   * One call through the SDK, over the engine's fetch. The SDK ignores statuses, so they are checked before it parses
   * the body.
   */
  async function call(kind: Call, run: (api: Api) => Promise<unknown>, key?: string) {
    const exchange: { text: string; requestId: string | null } = { text: '', requestId: null }
    const note = (text: string, requestId: string | null = null) => Object.assign(exchange, { text, requestId }).text
    const { fetch: send } = capturingFetch(ctx.fetch)
    const httpClient = {
      async request(endpoint: string, json: string | Buffer): Promise<string> {
        const answer = await send(moved(endpoint, ctx.baseUrl), {
          method: 'POST',
          body: String(json),
          timeoutMs: TIMEOUT_MS,
          headers: {
            'X-API-Key': ctx.secret.apiKey,
            'Content-Type': 'application/json',
            Accept: 'application/json',
            ...(key !== undefined && { 'Idempotency-Key': key }),
          },
        }).catch((error: unknown) => {
          throw connectionError(error, kind)
        })
        const { status, headers, text } = answer
        if (status < 200 || status > 299) {
          const refusal = refusalOf({ status, headers, text }, kind, ctx.now())
          // Adyen responds 422 for an unknown reference; for a read that is a negative result.
          if (kind === 'read' && status === 422 && refusal.kind === 'invalid_request') return note(NO)
          throw refusal
        }
        // The SDK would print a body that is not JSON.
        return note(parsed(text) ? text : '{}', headers.get('pspreference'))
      },
    }
    const environment = live ? EnvironmentEnum.LIVE : EnvironmentEnum.TEST
    const sdk = new Client(new Config({ apiKey: ctx.secret.apiKey, environment }), httpClient)
    try {
      await run(new DisputesApi(sdk))
    } catch (error) {
      throw error instanceof PspError ? error : noResponse(kind)
    }
    const body = parsed(exchange.text)
    const success = asRecord(body?.disputeServiceResult)?.success
    if (!body || typeof success !== 'boolean') throw noResponse(kind)
    return { body, success, requestId: exchange.requestId }
  }

  const about = (reference: string) => ({
    merchantAccountCode: merchantAccount,
    disputePspReference: guardReference(reference),
  })
  const keyFor = (operation: string, reference: string, key: string) =>
    digestKey(operation, merchantAccount, reference, key)
  const retrieve = (reference: string) => call('read', (api) => api.retrieveApplicableDefenseReasons(about(reference)))
  const result = ({ success, requestId }: Result): Result => ({ success, requestId })

  return {
    merchantAccount,
    live,
    async reachable(reference) {
      try {
        await retrieve(reference)
      } catch (error) {
        if (!(error instanceof PspError)) throw error
        const { requestId } = error
        if (error.kind === 'permission_missing') {
          const message = `Adyen gives this API key no access to the disputes of merchant account ${merchantAccount}. Check its name, it is case-sensitive, that the key has access to it, and that the key has the role "API dispute management".`
          throw new PspError('permission_missing', message, { requestId })
        }
        if (error.kind !== 'invalid_request') throw error
        const message = `Adyen does not take requests for merchant account ${merchantAccount}. Check its name, it is case-sensitive.`
        throw new PspError('config_invalid', message, { requestId })
      }
      return 'Adyen took the key for this merchant account.'
    },
    async reasons(reference) {
      const { success, body } = await retrieve(reference)
      return success ? reasonsOf(body) : null
    },
    supply: async (reference, documents, key) =>
      result(
        await call(
          'write',
          (api) =>
            api.supplyDefenseDocument({
              ...about(reference),
              defenseDocuments: documents.map(({ content, contentType, type }) => ({
                content: Buffer.from(content).toString('base64'),
                contentType,
                defenseDocumentTypeCode: type,
              })),
            }),
          keyFor('supply', reference, key),
        ),
      ),
    remove: async (reference, type, key) =>
      result(
        await call(
          'write',
          (api) => api.deleteDisputeDefenseDocument({ ...about(reference), defenseDocumentType: type }),
          keyFor(`delete ${type}`, reference, key),
        ),
      ),
    defend: async (reference, defenseReasonCode, key) =>
      result(
        await call(
          'write',
          (api) => api.defendDispute({ ...about(reference), defenseReasonCode }),
          keyFor(`defend ${defenseReasonCode}`, reference, key),
        ),
      ),
    accept: async (reference, key) =>
      result(await call('write', (api) => api.acceptDispute(about(reference)), keyFor('accept', reference, key))),
  }
}

/** Parsed from the body itself, because the SDK drops unknown fields. */
function reasonsOf(body: Record<string, unknown>): Reason[] {
  const list = (value: unknown) => (Array.isArray(value) ? value : []).map((entry) => asRecord(entry) ?? {})
  return list(body.defenseReasons).map((reason) => ({
    code: String(reason.defenseReasonCode ?? ''),
    satisfied: reason.satisfied === true,
    documents: list(reason.defenseDocumentTypes).map((document) => ({
      type: String(document.defenseDocumentTypeCode ?? ''),
      level: String(document.requirementLevel ?? ''),
      available: document.available === true,
    })),
  }))
}

/** Adyen's path at another origin: the simulator's, or a proxy's. */
function moved(endpoint: string, baseUrl: string | null): string {
  if (baseUrl === null) return endpoint
  const { pathname } = new URL(endpoint)
  return `${baseUrl.replace(/\/+$/, '')}${pathname}`
}

/**
 * Adyen stores idempotency keys for the whole company and not per operation, so the same key in another operation would
 * return that operation's response. Exactly 64 characters; deterministic for a write.
 */
export function digestKey(operation: string, merchantAccount: string, reference: string, key: string): string {
  return createHash('sha256').update([operation, merchantAccount, reference, key].join('|')).digest('hex')
}

/** @throws PspError invalid_request for a string that can't be an Adyen reference */
export function guardReference(reference: string): string {
  if (!/^[A-Za-z0-9]{1,64}$/.test(reference)) {
    throw new PspError('invalid_request', 'A reference of Adyen has letters and digits only.')
  }
  return reference
}

import { createHash } from 'node:crypto'
import Stripe from 'stripe'
import type { AdapterContext } from '../contract.ts'
import { PspError } from '../errors.ts'
import type { Exchange, ExpectedPage } from '../shared/http.ts'
import type { PspFetch } from '../shared/psp-fetch.ts'
import { asRecord } from '../shared/raw-json.ts'
import { noResponse, toPspError } from './errors.ts'
import { sdkFor, withoutStack } from './sdk.ts'
import type { StripeSecret } from './secret.ts'

/** Longest Idempotency-Key that Stripe accepts (Stripe docs, Idempotent requests). */
export const KEY_LENGTH = 255

const EMPTY_PAGE = '{"object":"list","data":[],"has_more":false}'

export type Sdk = Stripe
export type RequestOptions = Stripe.RequestOptions
/** Evidence in the form of a dispute update. */
export type EvidenceParam = Stripe.DisputeUpdateParams.Evidence

export interface ApiResponse<T> {
  value: T
  /** The response body, unchanged. */
  text: string
  requestId: string | null
}

/** A page of a list; without rows when it is unchanged. */
export interface PageResponse extends Pick<Exchange, 'text' | 'fingerprint' | 'unchanged'> {
  rows: unknown[]
  hasMore: boolean
}

type Call<T> = (sdk: Sdk, options: RequestOptions) => Promise<T>

/** Stripe with one credential. Every method returns the requested object or throws a PspError. */
export interface StripeClient {
  read<T extends { object: string }>(object: T['object'], run: Call<T>): Promise<ApiResponse<T>>
  /** A page of a list. A page with this fingerprint is not parsed. */
  readPage(fingerprint: Buffer | undefined, run: Call<{ object: 'list' }>): Promise<PageResponse>
  /** A POST with `idempotencyKey`. */
  write<T extends { object: string }>(
    object: T['object'],
    idempotencyKey: string,
    run: Call<T>,
  ): Promise<ApiResponse<T>>
  /** A read of the key's own account, without Stripe-Context. */
  readAsKey<T extends { object: string }>(object: T['object'], run: Call<T>): Promise<ApiResponse<T>>
}

export function openClient(ctx: AdapterContext<StripeSecret>): StripeClient {
  const { sdk, capture } = sdkFor(ctx.baseUrl)
  const own: PspFetch = (url, request) =>
    ctx.fetch(url, { ...request, headers: { ...request?.headers, Authorization: `Bearer ${ctx.secret.apiKey}` } })

  async function send<T extends { object: string }>(
    kind: 'read' | 'write',
    object: string,
    run: () => Promise<T>,
    page?: ExpectedPage,
  ) {
    try {
      const { value, exchange } = await capture.record(() => withoutStack(run), { fetch: own, page })
      // The SDK treats any JSON without an `error` key as success, whatever the status.
      const good = exchange.status !== null && exchange.status >= 200 && exchange.status < 300
      if (!good || value?.object !== object) throw noResponse(kind)
      const { text, fingerprint, unchanged } = exchange
      return { value, text, fingerprint, unchanged, requestId: requestIdOf(value) }
    } catch (error) {
      throw toPspError(error, kind, ctx.now())
    }
  }

  const context = foreignAccount(ctx)
  const scope: RequestOptions = context === null ? {} : { stripeContext: context }
  return {
    read: (object, run) => send('read', object, () => run(sdk, scope)),
    async readPage(expected, run) {
      const page = { fingerprint: expected, empty: EMPTY_PAGE }
      const { text, fingerprint, unchanged } = await send('read', 'list', () => run(sdk, scope), page)
      return { text, fingerprint, unchanged, ...(unchanged ? { rows: [], hasMore: false } : rowsIn(text)) }
    },
    write: (object, idempotencyKey, run) =>
      send('write', object, () => run(sdk, { ...scope, idempotencyKey: shortKey(idempotencyKey) })),
    readAsKey: (object, run) => send('read', object, () => run(sdk, {})),
  }
}

/**
 * The account for Stripe-Context: the integration's, unless the key itself belongs to it. While the key's own account
 * is unknown the header is sent, because an error is visible but disputes of a wrong account are not.
 */
export function foreignAccount(ctx: Pick<AdapterContext<unknown>, 'externalIdentifier' | 'pspAccount'>): string | null {
  const wanted = ctx.externalIdentifier
  return wanted.startsWith('acct_') && wanted !== ctx.pspAccount ? wanted : null
}

/** The account that is acted on: the identifier if it is an account id, else the key's own. */
export const accountOf = (of: Pick<AdapterContext<unknown>, 'externalIdentifier' | 'pspAccount'>): string =>
  foreignAccount(of) ?? of.pspAccount ?? of.externalIdentifier

/** The key, or its hash if Stripe would refuse its length or characters; deterministic. */
export function shortKey(key: string): string {
  if (key.length <= KEY_LENGTH && /^[\x21-\x7e]+$/.test(key)) return key
  return `sha256-${createHash('sha256').update(key).digest('hex')}`
}

/**
 * Verifies a webhook's signature over the raw body. @throws PspError invalid_request when it is not Stripe's, not for
 * this endpoint, or older than 300 s by `now`.
 */
export function verifySignature(body: string, header: string, secret: string, now: Date): void {
  try {
    const receivedAt = now.getTime()
    Stripe.webhooks.constructEvent(body, header, secret, 300, undefined, receivedAt)
  } catch {
    throw new PspError('invalid_request', 'The notification is not signed by Stripe for this endpoint, or is too old.')
  }
}

/** @throws PspError when it is no page of a list */
function rowsIn(text: string): { rows: unknown[]; hasMore: boolean } {
  let page: Record<string, unknown> | null = null
  try {
    page = asRecord(JSON.parse(text))
  } catch {
    // Reported below.
  }
  if (page?.object !== 'list' || !Array.isArray(page.data)) throw noResponse('read')
  return { rows: page.data, hasMore: page.has_more === true }
}

function requestIdOf(value: unknown): string | null {
  const { lastResponse } = value as { lastResponse?: { requestId?: unknown } }
  return typeof lastResponse?.requestId === 'string' ? lastResponse.requestId : null
}

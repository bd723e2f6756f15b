import Stripe from 'stripe'
import { type CapturingFetch, capturingFetch } from '../shared/http.ts'

/** The version that stripe@23.1.0 sends and its types describe; never overridden per account. */
export const API_VERSION = '2026-10-28.endive'
/** Deadline of one call, body included. */
export const TIMEOUT_MS = 25_000

/**
 * The response headers that the adapter uses. Others are dropped: the SDK would print Stripe's notices, for example.
 */
const HEADERS = ['request-id', 'retry-after', 'idempotent-replayed', 'content-type']

export interface SharedSdk {
  sdk: Stripe
  capture: CapturingFetch
}

const shared = new Map<string | null, SharedSdk>()

/**
 * The SDK for an address. It has no key and no fetch: each call brings a fetch of its own, which adds the key. One for
 * the process, because making one builds an object for each of Stripe's resources, a large part of an idle poll's work.
 */
export function sdkFor(baseUrl: string | null): SharedSdk {
  const known = shared.get(baseUrl) ?? openSdk(baseUrl)
  shared.set(baseUrl, known)
  return known
}

function openSdk(baseUrl: string | null): SharedSdk {
  const capture = capturingFetch(null, { headers: HEADERS })
  const base = baseUrl === null ? null : new URL(baseUrl)
  const sdk = new Stripe(undefined as unknown as string, {
    authenticator: async () => {},
    apiVersion: API_VERSION,
    maxNetworkRetries: 0,
    timeout: TIMEOUT_MS,
    telemetry: false,
    httpClient: Stripe.createFetchHttpClient(capture.fetch),
    ...(base && {
      host: base.hostname,
      port: base.port === '' ? (base.protocol === 'http:' ? 80 : 443) : Number(base.port),
      protocol: base.protocol === 'http:' ? 'http' : 'https',
    }),
  })
  return { sdk, capture }
}

import Stripe from 'stripe'
import { PspError } from '../errors.ts'
import { type CapturedResponse, type CapturingFetch, capturingFetch } from '../shared/http.ts'

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
  const capture = capturingFetch(null)
  const base = baseUrl === null ? null : new URL(baseUrl)
  const sdk = new Stripe(undefined as unknown as string, {
    authenticator: async () => {},
    apiVersion: API_VERSION,
    maxNetworkRetries: 0,
    timeout: TIMEOUT_MS,
    telemetry: false,
    httpClient: httpClientOver(capture.fetch),
    ...(base && {
      host: base.hostname,
      port: base.port === '' ? (base.protocol === 'http:' ? 80 : 443) : Number(base.port),
      protocol: base.protocol === 'http:' ? 'http' : 'https',
    }),
  })
  return { sdk, capture }
}

/**
 * Calls the SDK with stack traces switched off. At each call it formats one for its errors, which with source maps was a
 * tenth of an idle poll's processor time. Recoup makes its own errors, so nobody would see the trace.
 */
export function withoutStack<T>(call: () => T): T {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return call()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** The SDK takes any HTTP client of this form (stripe@23.1.0, net/HttpClient.ts). */
function httpClientOver(send: CapturingFetch['fetch']): Stripe.HttpClient {
  return {
    getClientName: () => 'recoup',
    async makeRequest(host, port, path, method, headers, body, protocol, timeout) {
      try {
        const response = await send(`${protocol}://${host}:${port}${path}`, {
          method,
          headers: headers as Record<string, string>,
          ...(body && { body }),
          timeoutMs: timeout,
        })
        return new SdkResponse(response)
      } catch (error) {
        // The SDK would repeat a request whose error has the code of a closed connection.
        throw error instanceof PspError ? error : new Error('no response', { cause: error })
      }
    },
  }
}

class SdkResponse extends Stripe.HttpClientResponse {
  private readonly text: string

  constructor({ status, headers, text }: CapturedResponse) {
    const known = HEADERS.map((name) => [name, headers.get(name)]).filter(([, value]) => value !== null)
    super(status, Object.fromEntries(known))
    this.text = text
  }

  /** The SDK adds the headers to it and returns it as `lastResponse`. */
  override getRawResponse() {
    return {}
  }

  override async toJSON() {
    return this._parseResponseBody(this.text)
  }
}

import type { ApiResponse, Client } from '@paypal/paypal-server-sdk'
import { PspError } from '../../errors.ts'
import { type Call, noResponse } from '../errors.ts'
import type { Token } from './token.ts'
import { type Reply, TIMEOUT_MS, type Transport } from './transport.ts'

/**
 * The only file that uses PayPal's SDK (docs/decisions/0014-paypal-sdk.md). The SDK provides paths, parameters and the
 * client credentials grant. Responses are kept as text, because its models drop unknown fields.
 */

/** Recoup's calls that the SDK covers. */
export interface PayPalSdk {
  /** @throws PspError unavailable for a response without a token */
  mint(): Promise<Reply | MintedToken>
  read(lookup: Lookup, token: Token): Promise<Reply>
}

/** A read for which the SDK has a controller. */
export type Lookup =
  | { kind: 'capture' | 'order'; id: string }
  | { kind: 'transactions'; from: Date; until: Date; transactionId?: string; fields: string; pageSize?: number }

export interface MintedToken {
  value: string
  scopes: string[]
  /** Null when PayPal gives no lifetime. */
  seconds: number | null
}

/** The part of an Axios request that the SDK fills. */
interface SdkRequest {
  method: string
  url: string
  data?: string
  headers: { toJSON(): Record<string, unknown> }
}

/**
 * A client lives for one call: the SDK's own caches a failed token, doesn't renew after a 401, and can't discard a
 * token. Its retries are off; the transport owns deadline, sockets and host.
 */
export function openSdk(
  credential: { clientId: string; clientSecret: string },
  environment: 'sandbox' | 'production',
  transport: Transport,
): PayPalSdk {
  async function open(call: Call, token: Token | null): Promise<{ sdk: Sdk; client: Client }> {
    const sdk = await load()
    const client = new sdk.Client({
      environment: environment === 'production' ? sdk.Environment.Production : sdk.Environment.Sandbox,
      clientCredentialsAuthCredentials: {
        oAuthClientId: credential.clientId,
        oAuthClientSecret: credential.clientSecret,
        ...(token && { oAuthToken: { accessToken: token.value, tokenType: 'Bearer' } }),
      },
      httpClientOptions: { timeout: TIMEOUT_MS, retryConfig: { ...sdk.DEFAULT_RETRY_CONFIG, maxNumberOfRetries: 0 } },
      unstable_httpClientOptions: { adapter: (request: SdkRequest) => carry(transport, call, request) },
    })
    return { sdk, client }
  }

  return {
    async mint() {
      const { sdk, client } = await open('token', null)
      try {
        const { accessToken, expiresIn, scope } = await client.clientCredentialsAuthManager.fetchToken()
        return {
          value: accessToken,
          scopes: scope?.split(/\s+/) ?? [],
          seconds: expiresIn === undefined ? null : Number(expiresIn),
        }
      } catch (error) {
        if (error instanceof sdk.ApiError) return replyOf(error)
        throw error instanceof PspError ? error : noResponse('token')
      }
    },
    async read(lookup, token) {
      const { sdk, client } = await open('read', token)
      try {
        return replyOf(await ask(sdk, client, lookup))
      } catch (error) {
        // Its models reject unusual values in single fields; the text is sufficient.
        if (error instanceof sdk.ApiError || error instanceof sdk.ResponseValidationError) return replyOf(error)
        throw error instanceof PspError ? error : noResponse('read')
      }
    },
  }
}

type Sdk = typeof import('@paypal/paypal-server-sdk')

/** Loaded on first use: its six hundred files take almost a second, which a process without PayPal saves. */
const load = (): Promise<Sdk> => import('@paypal/paypal-server-sdk')

function ask(sdk: Sdk, client: Client, lookup: Lookup): Promise<ApiResponse<unknown>> {
  switch (lookup.kind) {
    case 'capture':
      return new sdk.PaymentsController(client).getCapturedPayment({ captureId: lookup.id })
    case 'order':
      return new sdk.OrdersController(client).getOrder({ id: lookup.id })
    case 'transactions':
      return new sdk.TransactionSearchController(client).searchTransactions({
        startDate: lookup.from.toISOString(),
        endDate: lookup.until.toISOString(),
        fields: lookup.fields,
        ...(lookup.transactionId !== undefined && { transactionId: lookup.transactionId }),
        ...(lookup.pageSize !== undefined && { pageSize: lookup.pageSize }),
      })
  }
}

/** Replaces Axios' sockets: its errors contain no request, and so no token. */
async function carry(transport: Transport, call: Call, request: SdkRequest): Promise<object> {
  const { pathname, searchParams } = new URL(request.url)
  // The SDK leaves an `&` for every unset parameter.
  const query = searchParams.size > 0 ? `?${searchParams}` : ''
  const sent = Object.entries(request.headers.toJSON())
  const headers = Object.fromEntries(sent.map(([name, value]) => [name, String(value)]))
  const { status, text, requestId, retryAfter } = await transport.exchange(call, `${pathname}${query}`, {
    method: request.method.toUpperCase(),
    headers,
    ...(request.data !== undefined && { body: request.data }),
  })
  return {
    status,
    statusText: '',
    data: text,
    headers: { ...(requestId && { 'paypal-debug-id': requestId }), ...(retryAfter && { 'retry-after': retryAfter }) },
    config: request,
  }
}

function replyOf({ statusCode, body, headers }: Pick<ApiResponse<unknown>, 'statusCode' | 'body' | 'headers'>): Reply {
  return {
    status: statusCode,
    text: typeof body === 'string' ? body : '',
    requestId: headers['paypal-debug-id'] ?? null,
    retryAfter: headers['retry-after'] ?? null,
  }
}

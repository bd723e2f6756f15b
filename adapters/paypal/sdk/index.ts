import type { ApiResponse, Client } from '@paypal/paypal-server-sdk'
import { PspError } from '../../errors.ts'
import { type Call, unanswered } from '../errors.ts'
import type { Token } from './token.ts'
import { type Reply, TIMEOUT_MS, type Transport } from './transport.ts'

/**
 * The only file that knows PayPal's SDK (docs/decisions/0014-paypal-sdk.md). The SDK knows paths, parameters and the
 * client credentials grant; the responses are kept as text, because its models drop what they don't know.
 */

/** What the SDK covers of what Recoup asks PayPal for. */
export interface PayPalSdk {
  /** @throws PspError unavailable for a response without a token */
  mint(): Promise<Reply | MintedToken>
  read(lookup: Lookup, token: Token): Promise<Reply>
}

/** A read that the SDK has a controller for. */
export type Lookup =
  | { kind: 'capture' | 'order'; id: string }
  | { kind: 'transactions'; from: Date; until: Date; transactionId?: string; fields: string; pageSize?: number }

export interface MintedToken {
  value: string
  scopes: string[]
  /** Null where PayPal names no lifetime. */
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
 * A client lives for one call: the SDK's keeps a failed token for good, doesn't mint after a 401, and has no way to give
 * one up. Its retries stay off, its deadline, its sockets and its host are the transport's.
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
        throw error instanceof PspError ? error : unanswered('token')
      }
    },
    async read(lookup, token) {
      const { sdk, client } = await open('read', token)
      try {
        return replyOf(await ask(sdk, client, lookup))
      } catch (error) {
        // Its models refuse what is odd in one field; the text is as good as any.
        if (error instanceof sdk.ApiError || error instanceof sdk.ResponseValidationError) return replyOf(error)
        throw error instanceof PspError ? error : unanswered('read')
      }
    },
  }
}

type Sdk = typeof import('@paypal/paypal-server-sdk')

/** Loaded with the first call: its six hundred files take most of a second, which a process without PayPal is spared. */
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

/** In place of Axios' sockets: what it throws has no request, and so no token, in it. */
async function carry(transport: Transport, call: Call, request: SdkRequest): Promise<object> {
  const { pathname, searchParams } = new URL(request.url)
  // The SDK leaves an `&` for every parameter that isn't set.
  const query = searchParams.size > 0 ? `?${searchParams}` : ''
  const headers = Object.entries(request.headers.toJSON()).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
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

import { createHash } from 'node:crypto'
import type { AdapterContext } from '../contract.ts'
import { asRecord } from '../shared/raw-json.ts'
import { type Call, noResponse, toPspError } from './errors.ts'
import { type Lookup, openSdk } from './sdk/index.ts'
import type { Body } from './sdk/multipart.ts'
import { type Token, tokenSource } from './sdk/token.ts'
import { openTransport, type Reply } from './sdk/transport.ts'
import type { PayPalSecret } from './secret.ts'

/** PayPal versions each path; this is the one of Disputes. */
export const API_VERSION = 'v1'
/** PayPal's first APIs accepted 38 characters as PayPal-Request-Id, later ones more. */
export const KEY_LENGTH = 38
/** A token is renewed this long before it expires. */
const RENEW_BEFORE_MS = 300_000

export interface ApiResponse {
  value: Record<string, unknown>
  /** The body as it came. */
  text: string
  requestId: string | null
}

/**
 * PayPal with one credential. Every method returns an object or throws a PspError. The token and the calls that the SDK
 * has controllers for use it; disputes and webhooks, which it lacks, do not.
 */
export interface PayPalClient {
  read(path: string): Promise<ApiResponse>
  /** A capture, an order, or a search of transactions. */
  lookUp(lookup: Lookup): Promise<ApiResponse>
  /** A POST without effect, for a query that is too long for a URL. */
  ask(path: string, body: Body): Promise<ApiResponse>
  /** A POST with `idempotencyKey`, which PayPal does not guarantee for disputes. */
  write(path: string, idempotencyKey: string, body: Body): Promise<ApiResponse>
  /** A new token, for its scopes. */
  freshToken(): Promise<Token>
}

/** @throws PspError config_invalid for a URL that would expose the secret */
export function openClient(ctx: AdapterContext<PayPalSecret>): PayPalClient {
  const transport = openTransport(ctx)
  const { exchange } = transport
  const { clientId, clientSecret } = ctx.secret
  const sdk = openSdk(ctx.secret, ctx.environment, transport)
  const tokens = tokenSource({ base: transport.base, clientId, clientSecret }, mint, ctx.now)

  function answerOf(call: Call, reply: Reply): ApiResponse {
    if (reply.status < 200 || reply.status >= 300) throw toPspError(call, { ...reply, now: ctx.now() })
    const value = objectOf(reply.text)
    if (value === null) throw noResponse(call)
    return { value, text: reply.text, requestId: reply.requestId }
  }

  async function mint(): Promise<Token> {
    const minted = await sdk.mint()
    if ('status' in minted) throw toPspError('token', { ...minted, now: ctx.now() })
    const { value, scopes, seconds } = minted
    if (!/^[\x21-\x7e]+$/.test(value)) throw noResponse('token')
    const life = seconds !== null && seconds > 0 ? seconds * 1000 : 60_000
    return { value, scopes, expiresAt: ctx.now().getTime() + life - Math.min(RENEW_BEFORE_MS, life / 10) }
  }

  /** Retries with a new token when PayPal rejects one early: a 401 precedes any execution. */
  async function authorized(kind: Call, attempt: (token: Token) => Promise<Reply>): Promise<ApiResponse> {
    const token = await tokens.current()
    const reply = await attempt(token)
    if (reply.status !== 401) return answerOf(kind, reply)
    tokens.drop(token)
    return answerOf(kind, await attempt(await tokens.current()))
  }

  const call = (
    kind: Call,
    path: string,
    init: { method: string; headers?: Record<string, string>; body?: Body['content'] },
  ) =>
    authorized(kind, (token) =>
      exchange(kind, path, {
        ...init,
        headers: { accept: 'application/json', ...init.headers, authorization: `Bearer ${token.value}` },
      }),
    )

  return {
    read: (path) => call('read', path, { method: 'GET' }),
    lookUp: (lookup) => authorized('read', (token) => sdk.read(lookup, token)),
    ask: (path, body) =>
      call('read', path, { method: 'POST', headers: { 'content-type': body.type }, body: body.content }),
    write: (path, idempotencyKey, body) =>
      call('write', path, {
        method: 'POST',
        headers: { 'content-type': body.type, 'paypal-request-id': shortKey(idempotencyKey) },
        body: body.content,
      }),
    freshToken: () => tokens.fresh(),
  }
}

/** The key, or its hash if it is too long or not plain ASCII; deterministic. */
export function shortKey(key: string): string {
  if (key.length <= KEY_LENGTH && /^[\x21-\x7e]+$/.test(key)) return key
  return createHash('sha256').update(key).digest('hex').slice(0, 36)
}

function objectOf(text: string): Record<string, unknown> | null {
  try {
    return asRecord(JSON.parse(text))
  } catch {
    return null
  }
}

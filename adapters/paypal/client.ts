import { createHash } from 'node:crypto'
import type { AdapterContext } from '../contract.ts'
import { PspError } from '../errors.ts'
import { capturingFetch } from '../http.ts'
import { asRecord } from '../raw-json.ts'
import type { PayPalSecret } from './credentials.ts'
import { type Call, connectionError, toPspError, unanswered } from './errors.ts'
import type { Body } from './multipart.ts'
import { type Token, tokenSource } from './token.ts'

/** PayPal versions by path; Disputes has this one. */
export const API_VERSION = 'v1'
/** Deadline of one call, body included. */
export const TIMEOUT_MS = 25_000
/** PayPal's first APIs took 38 characters as PayPal-Request-Id, later ones more. */
export const KEY_LENGTH = 38
const HOSTS = { sandbox: 'https://api-m.sandbox.paypal.com', production: 'https://api-m.paypal.com' }
/** A token is renewed this long before PayPal lets it expire. */
const RENEW_BEFORE_MS = 300_000

/** The headers the adapter decides by. */
const HEADERS = ['paypal-debug-id', 'retry-after', 'content-type']

export interface Answer {
  value: Record<string, unknown>
  /** The body as it came. */
  text: string
  requestId: string | null
}

/** PayPal behind one credential. Every method either answers with an object or throws a PspError. */
export interface PayPalClient {
  read(path: string): Promise<Answer>
  /** A POST that changes nothing: what is asked is too long for an address. */
  ask(path: string, body: Body): Promise<Answer>
  /** A POST under `idempotencyKey`, which PayPal does not promise to honour for disputes. */
  write(path: string, idempotencyKey: string, body: Body): Promise<Answer>
  /** A token minted now, for its scopes. */
  freshToken(): Promise<Token>
}

/** @throws PspError config_invalid for an address that would send the secret in the clear */
export function openClient(ctx: AdapterContext<PayPalSecret>): PayPalClient {
  const base = baseOf(ctx)
  const { clientId, clientSecret } = ctx.secret
  const { fetch: send } = capturingFetch(ctx.fetch, { headers: HEADERS })
  const tokens = tokenSource({ base, clientId, clientSecret }, mint, ctx.now)

  async function exchange(call: Call, path: string, init: RequestInit): Promise<Reply> {
    const limit = AbortSignal.timeout(TIMEOUT_MS)
    const signal = ctx.signal ? AbortSignal.any([ctx.signal, limit]) : limit
    try {
      const response = await send(`${base}${path}`, { ...init, signal })
      const text = await response.text()
      const { status, headers } = response
      return { status, text, requestId: headers.get('paypal-debug-id'), retryAfter: headers.get('retry-after') }
    } catch (error) {
      throw connectionError(error, call)
    }
  }

  function read(call: Call, reply: Reply): Answer {
    if (reply.status < 200 || reply.status >= 300) throw toPspError(call, { ...reply, now: ctx.now() })
    const value = objectOf(reply.text)
    if (value === null) throw unanswered(call)
    return { value, text: reply.text, requestId: reply.requestId }
  }

  async function mint(): Promise<Token> {
    const reply = await exchange('token', '/v1/oauth2/token', {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body: 'grant_type=client_credentials',
    })
    const { access_token: value, scope, expires_in: seconds } = read('token', reply).value
    if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value)) throw unanswered('token')
    const life = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : 60_000
    return {
      value,
      scopes: typeof scope === 'string' ? scope.split(/\s+/) : [],
      expiresAt: ctx.now().getTime() + life - Math.min(RENEW_BEFORE_MS, life / 10),
    }
  }

  /** With a fresh token when PayPal refuses one before its time: a 401 comes before anything is executed. */
  async function call(kind: Call, path: string, init: { method: string; headers?: object; body?: Body['content'] }) {
    const attempt = (token: Token) =>
      exchange(kind, path, {
        ...init,
        headers: { accept: 'application/json', ...init.headers, authorization: `Bearer ${token.value}` },
      })
    const token = await tokens.current()
    const reply = await attempt(token)
    if (reply.status !== 401) return read(kind, reply)
    tokens.drop(token)
    return read(kind, await attempt(await tokens.current()))
  }

  return {
    read: (path) => call('read', path, { method: 'GET' }),
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

interface Reply {
  status: number
  text: string
  requestId: string | null
  retryAfter: string | null
}

function baseOf(ctx: Pick<AdapterContext<unknown>, 'baseUrl' | 'environment'>): string {
  const url = new URL(ctx.baseUrl ?? HOSTS[ctx.environment])
  const loopback = ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)
  if (url.protocol !== 'https:' && !loopback) {
    throw new PspError('config_invalid', 'PAYPAL_API_URL must be https, or http on this machine.')
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** The key itself, or a hash of it where it is too long or no plain text: always the same for the same key. */
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

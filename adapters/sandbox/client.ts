import { createHash } from 'node:crypto'
import type { AdapterContext } from '../contract.ts'
import { PspError } from '../errors.ts'
import { type CapturedResponse, capturingFetch } from '../shared/http.ts'
import { asRecord } from '../shared/raw-json.ts'
import { noResponse, responseError, thrownError } from './errors.ts'
import { type SandboxSecret, signInOf } from './secret.ts'

export const API_VERSION = 'v1'
/** Deadline of one call, body included. */
export const TIMEOUT_MS = 15_000
/** Longest Idempotency-Key in characters. */
export const KEY_LENGTH = 255

export interface ApiResponse {
  value: Record<string, unknown>
  /** The response body, unchanged. */
  text: string
  requestId: string | null
}

/** The sandbox PSP for one credential and account. Every method returns an object or throws a PspError. */
export interface SandboxClient {
  /** The account's id at the PSP. */
  readAccount(): Promise<string>
  /** `path` is relative to the account. */
  read(path: string): Promise<ApiResponse>
  /** A POST with `idempotencyKey`. */
  write(path: string, idempotencyKey: string, body: unknown): Promise<ApiResponse>
}

/** Null when no sandbox PSP is running: then all data comes from clients' posts. */
export function openClient(ctx: AdapterContext<SandboxSecret>): SandboxClient | null {
  if (ctx.baseUrl === null) return null
  const { fetch: ask } = capturingFetch(ctx.fetch)
  const base = `${ctx.baseUrl.replace(/\/+$/, '')}/v1/accounts/${encodeURIComponent(ctx.externalIdentifier)}`
  const { user, secret } = signInOf(ctx.secret)
  const authorization = `Basic ${Buffer.from(`${encodeURIComponent(user)}:${secret}`, 'utf8').toString('base64')}`

  async function send(call: 'read' | 'write', path: string, headers: Record<string, string>, body?: string) {
    const init = { method: call === 'read' ? 'GET' : 'POST', ...(body !== undefined && { body }) }
    try {
      const response = await ask(`${base}${path}`, {
        ...init,
        headers: { ...headers, authorization, accept: 'application/json' },
        timeoutMs: TIMEOUT_MS,
      })
      return read(call, response)
    } catch (error) {
      throw thrownError(error, call)
    }
  }

  function read(call: 'read' | 'write', response: CapturedResponse): ApiResponse {
    const { text } = response
    const requestId = response.headers.get('request-id') ?? undefined
    const value = parsed(text)
    if (response.status >= 200 && response.status < 300) {
      if (value === null) throw noResponse(call, requestId)
      return { value, text, requestId: requestId ?? null }
    }
    const code = asRecord(value?.error)?.code
    throw responseError(response.status, typeof code === 'string' ? code : null, call, {
      requestId,
      retryAfter: response.headers.get('retry-after'),
      replayed: response.headers.get('idempotent-replayed') === 'true',
      now: ctx.now(),
    })
  }

  return {
    async readAccount() {
      const { value } = await send('read', '', {})
      if (typeof value.account !== 'string') throw noResponse('read')
      return value.account
    },
    read: (path) => send('read', path, {}),
    write: (path, idempotencyKey, body) =>
      send(
        'write',
        path,
        { 'content-type': 'application/json', 'idempotency-key': shortKey(idempotencyKey) },
        JSON.stringify(body),
      ),
  }
}

/**
 * The path of a chargeback, relative to its account. @throws PspError invalid_request for an id that does not fit in a
 * path
 */
export function pathOf(reference: string): string {
  if (reference === '' || reference === '.' || reference === '..' || !reference.isWellFormed()) {
    throw new PspError('invalid_request', 'A chargebackId is any text but . and .., of at least one character.')
  }
  return `/chargebacks/${encodeURIComponent(reference)}`
}

/** The key, or its hash if it is too long or not plain ASCII; deterministic. */
export function shortKey(key: string): string {
  if (key.length <= KEY_LENGTH && /^[\x21-\x7e]+$/.test(key)) return key
  return `sha256-${createHash('sha256').update(key).digest('hex')}`
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    return asRecord(JSON.parse(text))
  } catch {
    return null
  }
}

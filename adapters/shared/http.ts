import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import type { PspFetch, PspResponse } from './psp-fetch.ts'
import { readChunks } from './response-bytes.ts'

/** Common parts of the PSP clients: access to the bytes of an SDK's response, and limits on a PSP's responses. */

/** Maximum wait, whatever a PSP's Retry-After says. */
const MAX_RETRY_AFTER_MS = 3_600_000

/** One response as received. */
export interface Exchange {
  status: number | null
  text: string
  /** SHA-256 of a page's body; null for any other response. */
  fingerprint: Buffer | null
  /** The body has the expected fingerprint; `text` is empty. */
  unchanged: boolean
}

/** A page of a list. The adapter parses it itself, once, unless it is unchanged. */
export interface ExpectedPage {
  /** SHA-256 of its body when it was stored; undefined if it is not known. */
  fingerprint: Buffer | undefined
  /** The empty page that the SDK gets instead. */
  empty: string
}

export interface Call {
  page?: ExpectedPage | undefined
  /** Sends the requests of this call, instead of `inner`. */
  fetch?: PspFetch
}

/** A response without bytes to read. */
export interface CapturedResponse extends Omit<PspResponse, 'body'> {
  /** The body, or empty if it is no JSON object: some SDKs hang or crash on a bare string or number. */
  text: string
}

/** A fetch that records the response of its call. */
export interface CapturingFetch {
  fetch(...request: Parameters<PspFetch>): Promise<CapturedResponse>
  /**
   * Runs one SDK call and returns the PSP's response. Concurrent calls are kept apart, also those of different
   * credentials, each with a fetch of its own.
   */
  record<T>(run: () => Promise<T>, call?: Call): Promise<{ value: T; exchange: Exchange }>
}

/** One per process: Node keeps each AsyncLocalStorage that ever ran, and every promise has a slot for each of them. */
const current = new AsyncLocalStorage<Call & { exchange: Exchange }>()

/**
 * Wraps the engine's fetch for an SDK: reads the whole body, up to `maxBytes`.
 * @param inner null if each call brings its own
 */
export function capturingFetch(inner: PspFetch | null, maxBytes?: number): CapturingFetch {
  return {
    async fetch(url, request) {
      const { exchange, page, fetch: own } = current.getStore() ?? {}
      const send = own ?? inner
      if (!send) throw new Error('a request without a fetch; report this as a bug')
      const { status, headers, body: chunks } = await send(url, request)
      const parts = await readChunks(chunks ?? [], maxBytes)
      if (exchange) exchange.status = status
      if (exchange && page && status === 200) {
        exchange.fingerprint = hashOf(parts)
        exchange.unchanged = page.fingerprint?.equals(exchange.fingerprint) ?? false
        if (!exchange.unchanged) exchange.text = textOf(parts)
        return { status, headers, text: page.empty }
      }
      const text = textOf(parts)
      if (exchange) exchange.text = text
      return { status, headers, text: text.trimStart().startsWith('{') ? text : '' }
    },
    async record(run, call = {}) {
      const exchange: Exchange = { status: null, text: '', fingerprint: null, unchanged: false }
      return { value: await current.run({ ...call, exchange }, run), exchange }
    },
  }
}

/** Hashes the pieces without joining them: that takes half as long as the hash, and an unchanged page is not read further. */
function hashOf(parts: Uint8Array[]): Buffer {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

const textOf = (parts: Uint8Array[]): string => new TextDecoder().decode(Buffer.concat(parts))

/**
 * Milliseconds of a Retry-After header, in seconds or as an HTTP date; at most an hour. Undefined without a valid
 * header.
 */
export function retryAfterMs(header: string | null | undefined, now: Date): number | undefined {
  if (header === null || header === undefined || header.trim() === '') return undefined
  const seconds = Number(header)
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now.getTime()
  if (Number.isNaN(wait)) return undefined
  return Math.min(Math.max(0, Math.ceil(wait)), MAX_RETRY_AFTER_MS)
}

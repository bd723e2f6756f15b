import http from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { NO_HANDSHAKE, NOT_CONNECTED, neverConnected } from './connection.ts'

export interface PspRequest {
  /** Default GET. */
  method?: string
  headers?: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer>
  /** Set by the adapter: the whole response has to arrive within this time, ms. */
  timeoutMs?: number
  /** Set by the engine: ends the request when the poll or command that it belongs to is cancelled. */
  signal?: AbortSignal
}

/** What adapters use of a response; a Response of fetch has it, too. */
export interface PspResponse {
  status: number
  headers: { get(name: string): string | null }
  body: AsyncIterable<Uint8Array> | null
}

/** Sends a request and follows no redirect. The body must be read. */
export type PspFetch = (url: string, request?: PspRequest) => Promise<PspResponse>

/** Idle connections are closed after this time (ms), before most servers close theirs (Node's after 5 s). */
const KEEP_ALIVE_MS = 4_000

const pool = { keepAlive: true, timeout: KEEP_ALIVE_MS, scheduling: 'lifo' } as const
const HTTP = { send: http.request, agent: new http.Agent(pool) }
const HTTPS = { send: https.request, agent: new https.Agent(pool) }

/** Some PSPs' firewalls refuse requests without a user agent. */
const DEFAULTS = { accept: '*/*', 'accept-encoding': 'gzip', 'user-agent': 'Recoup' }

/**
 * One HTTP request to a PSP, without the web streams of Node's fetch, which cost more than the request itself. Follows no
 * redirect: PSPs send none, and one would leak the key. Bodies are decompressed.
 * @throws the error of the connection, with its code; a TimeoutError; the reason of the signal. If nothing can have been sent,
 * the error says so: `neverConnected`
 */
export const pspFetch: PspFetch = (url, { method = 'GET', headers, body, timeoutMs, signal } = {}) =>
  new Promise<PspResponse>((resolve, reject) => {
    signal?.throwIfAborted()
    const { send, agent } = url.startsWith('https:') ? HTTPS : HTTP
    const request = send(url, { agent, method, headers: { ...DEFAULTS, ...headers } })
    /** Why the request can't have been sent yet, until it can. */
    let unsent: string | null = NOT_CONNECTED
    let response: http.IncomingMessage | undefined
    const end = (reason: Error) => (response ?? request).destroy(reason)
    const stop = () => end(signal?.reason)
    signal?.addEventListener('abort', stop, { once: true })
    const late = timeoutMs === undefined ? undefined : setTimeout(() => end(timedOut()), timeoutMs)
    request.once('close', () => {
      clearTimeout(late)
      signal?.removeEventListener('abort', stop)
      // A connection may close with neither a response nor an error, for example after 101 Switching Protocols.
      reject(new Error('no response'))
    })
    request.on('error', (error) => {
      if (unsent === null || neverConnected(error)) reject(error)
      else reject(Object.assign(new Error('no connection'), { code: unsent }))
    })
    request.once('socket', (socket: Socket) => {
      if (request.reusedSocket) {
        unsent = null
        return
      }
      socket.once('connect', () => {
        unsent = agent === HTTPS.agent ? NO_HANDSHAKE : null
      })
      socket.once('secureConnect', () => {
        unsent = null
      })
    })
    request.once('response', (message) => {
      response = message
      resolve({
        status: message.statusCode ?? 0,
        headers: { get: (name) => message.headers[name]?.toString() ?? null },
        body: decompressed(message),
      })
    })
    request.end(body)
  })

/** The error of an AbortSignal.timeout. A timer is used instead: such signals stay in memory for long (decision 93). */
const timedOut = (): Error => new DOMException('The response took too long', 'TimeoutError')

function decompressed(message: http.IncomingMessage): AsyncIterable<Uint8Array> {
  if (message.headers['content-encoding'] !== 'gzip') return message
  // Errors of both reach the reader of the second.
  return pipeline(message, createGunzip(), () => {})
}

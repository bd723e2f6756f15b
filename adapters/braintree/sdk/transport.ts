import { Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Duplex, duplexPair } from 'node:stream'
import type { PspFetch } from '../../shared/psp-fetch.ts'
import { readBytes } from '../../shared/response-bytes.ts'

/** Deadline of one call in ms, body included. */
export const TIMEOUT_MS = 25_000
/**
 * Largest response, in bytes after decompression: the SDK parses XML character by character and blocks the process,
 * some 0.2 s per MB. A page of fifty disputes with ten texts of 5,000 characters has 3 MB.
 */
export const MAX_XML_BYTES = 8 * 1024 * 1024
/** Headers of the SDK that are forwarded; the transport sets connection headers itself. */
const SENT = ['authorization', 'x-apiversion', 'accept', 'content-type', 'user-agent', 'accept-encoding']

/** Facts about one call that the SDK's errors omit. */
export interface Exchange {
  /** HTTP status; null without a response. */
  status: number | null
  retryAfter: string | null
  /** The body is empty or white space. */
  blank: boolean
  /** Error of the engine's fetch, or of reading the body. */
  failure: unknown
  /** The transport's deadline ended the call. */
  timedOut: boolean
}

export function newExchange(): Exchange {
  return { status: null, retryAfter: null, blank: false, failure: undefined, timedOut: false }
}

/**
 * A connection for the SDK that ends in this process. The SDK's own HTTP has no deadline for a slow body, no abort
 * signal and no size limit. Here it talks to an in-memory server that forwards each request with the engine's fetch,
 * which takes a token, counts and can be aborted. The SDK still builds requests and parses responses.
 */
export function sdkTransport(send: PspFetch, baseUrl: string, exchange: Exchange): Agent {
  const server = createServer((request, response) => void relay(send, baseUrl, exchange, request, response))
  const agent = new Agent({ keepAlive: false })
  const createConnection = (): Duplex => {
    const [near, far] = duplexPair()
    server.emit('connection', asSocket(far))
    return asSocket(near)
  }
  return Object.assign(agent, { createConnection })
}

/** The socket methods that node:http calls on any connection. */
function asSocket(stream: Duplex): Duplex {
  const itself = (): Duplex => stream
  return Object.assign(stream, {
    setTimeout: itself,
    setNoDelay: itself,
    setKeepAlive: itself,
    ref: itself,
    unref: itself,
  })
}

async function relay(
  send: PspFetch,
  baseUrl: string,
  exchange: Exchange,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const body = await readBytes(request)
    const answer = await send(`${baseUrl}${request.url}`, {
      method: request.method ?? 'GET',
      headers: headersOf(request),
      ...(body.byteLength > 0 && { body }),
      timeoutMs: TIMEOUT_MS,
    })
    exchange.status = answer.status
    exchange.retryAfter = answer.headers.get('retry-after')
    const text = withoutEdges(await readBytes(answer.body ?? [], MAX_XML_BYTES))
    exchange.blank = text.every((byte) => byte <= 0x20)
    // Braintree responds in XML. The SDK parses JSON without a catch, so broken JSON would crash the process.
    const xml = /\bapplication\/xml\b/i.test(answer.headers.get('content-type') ?? '')
    response.writeHead(answer.status, { 'content-type': xml ? 'application/xml' : 'text/plain' })
    response.end(text)
  } catch (error) {
    exchange.failure = error
    exchange.timedOut = error instanceof Error && error.name === 'TimeoutError'
    // The SDK only has to finish; the error is read from the exchange.
    response.writeHead(599)
    response.end()
  }
}

function headersOf(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const name of SENT) {
    const value = request.headers[name]
    if (typeof value === 'string') headers[name] = value
  }
  return headers
}

/** White space around a document costs the SDK an object per character; a blank body must stay one space. */
function withoutEdges(bytes: Uint8Array): Uint8Array {
  let from = 0
  let to = bytes.length
  while (from < to - 1 && (bytes[from] as number) <= 0x20) from++
  while (to > from + 1 && (bytes[to - 1] as number) <= 0x20) to--
  return bytes.subarray(from, to)
}

import { Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Duplex, duplexPair } from 'node:stream'
import { MAX_BODY_BYTES } from '../http.ts'

/** Deadline of one call in ms, body included. */
export const TIMEOUT_MS = 25_000
/** The headers of the SDK that go out; connection headers are the transport's own business. */
const SENT = ['authorization', 'x-apiversion', 'accept', 'content-type', 'user-agent', 'accept-encoding']

/** What happened to one call on its way, which the SDK's errors don't tell. */
export interface Exchange {
  /** HTTP status; null while none has come. */
  status: number | null
  retryAfter: string | null
  /** The body is nothing or white space. */
  blank: boolean
  /** What the engine's fetch threw, or the reading of the body. */
  failure: unknown
  /** Our own deadline ended the call. */
  timedOut: boolean
}

export function newExchange(): Exchange {
  return { status: null, retryAfter: null, blank: false, failure: undefined, timedOut: false }
}

/**
 * A connection for the SDK that ends in this process. The SDK brings its own HTTP, without an end to a slow body,
 * without a signal and without a limit on size; here it talks to an in-memory server that passes each request on by
 * the engine's fetch, which takes a token, counts and can be aborted. Its request and its reading stay the SDK's own.
 */
export function bridge(send: typeof fetch, baseUrl: string, exchange: Exchange): Agent {
  const server = createServer((request, response) => void relay(send, baseUrl, exchange, request, response))
  const agent = new Agent({ keepAlive: false })
  const createConnection = (): Duplex => {
    const [near, far] = duplexPair()
    server.emit('connection', asSocket(far))
    return asSocket(near)
  }
  return Object.assign(agent, { createConnection })
}

/** The methods of a socket that node:http calls on any connection. */
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
  send: typeof fetch,
  baseUrl: string,
  exchange: Exchange,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const body = await bytesOf(request)
    const answer = await send(`${baseUrl}${request.url}`, {
      method: request.method ?? 'GET',
      headers: headersOf(request),
      ...(body.byteLength > 0 && { body }),
      // A PSP has no redirect to send, and one would carry the key away.
      redirect: 'manual',
      signal,
    })
    exchange.status = answer.status
    exchange.retryAfter = answer.headers.get('retry-after')
    const text = await bytesOf(answer.body ?? [])
    exchange.blank = text.every((byte) => byte <= 0x20)
    // Braintree answers in XML. The SDK parses what calls itself JSON where nothing catches: broken, it would end the process.
    const xml = /\bapplication\/xml\b/i.test(answer.headers.get('content-type') ?? '')
    response.writeHead(answer.status, { 'content-type': xml ? 'application/xml' : 'text/plain' })
    response.end(text)
  } catch (error) {
    exchange.failure = error
    exchange.timedOut = signal.aborted
    // The SDK only has to end; what the error means is read from the exchange.
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

async function bytesOf(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.byteLength
    if (size > MAX_BODY_BYTES) throw new Error('The answer is larger than any answer of a PSP may be')
    parts.push(chunk)
  }
  const whole = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.byteLength
  }
  return whole
}

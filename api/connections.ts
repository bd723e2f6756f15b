import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import type { Log } from '../process/log.ts'
import { type ErrorBody, errorBody } from './errors.ts'
import { drainRefused } from './refused-bodies.ts'

type Reason = [status: 400 | 408 | 417 | 431 | 500, code: string, message: string]

const MALFORMED: Reason = [400, 'malformed_request', 'This is not valid HTTP.']
const REASONS: Record<string, Reason> = {
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'The headers exceed the maximum size of 16 KB.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout', 'The request took too long to arrive.'],
}
const UNEXPECTED: Reason = [417, 'expectation_failed', 'Nothing but 100-continue can be expected.']
const BROKEN: Reason = [500, 'internal_error', 'Internal server error']

type Fetch = Parameters<typeof drainRefused>[0]

/** An HTTP server for the application; what is refused before it has the shape of every other error. */
export function createHttpServer(fetch: Fetch, log: Log): Server {
  function refusal([status, code, message]: Reason, error?: unknown) {
    const body: ErrorBody = errorBody({ status, code, message })
    const requestId = randomUUID()
    const fields = { requestId, errorId: body.errorId, code, status }
    if (status === 500) log.error({ ...fields, error }, 'request failed')
    else log.info(fields, 'connection refused')
    const text = JSON.stringify(body)
    const headers = {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': requestId,
      Connection: 'close',
      'Content-Length': String(Buffer.byteLength(text)),
    }
    return { status, phrase: body.error, headers, text }
  }

  const listener = getRequestListener(drainRefused(fetch) as Parameters<typeof getRequestListener>[0], {
    // Only HTTP/1.0 may leave it out.
    hostname: 'localhost',
    errorHandler(error) {
      const { status, headers, text } = refusal(error instanceof RequestError ? MALFORMED : BROKEN, error)
      return new Response(text, { status, headers })
    },
  })
  // Node's own refusal has no body.
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    if (request.httpVersion === '1.0' || request.headers.host !== undefined) return listener(request, response)
    const { status, headers, text } = refusal(MALFORMED)
    response.writeHead(status, headers).end(text)
  })
  server.on('checkExpectation', (_, response) => {
    const { status, headers, text } = refusal(UNEXPECTED)
    response.writeHead(status, headers).end(text)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const { status, phrase, headers, text } = refusal(REASONS[error.code ?? ''] ?? MALFORMED)
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${status} ${phrase}\r\n${lines.join('')}\r\n${text}`, () => socket.destroy())
  })
  // 6 MB over 0.5 Mbit/s. Who sends slowly on purpose keeps a connection for as long, and one of its few uploads.
  server.requestTimeout = 120_000
  server.headersTimeout = 15_000
  // Longer than load balancers keep an idle connection: who closes it first must not be the one who answers.
  server.keepAliveTimeout = 75_000
  return server
}

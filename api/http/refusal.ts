import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Log } from '../../process/log.ts'
import { type ErrorBody, errorBody } from './errors.ts'

export type Reason = [status: 400 | 408 | 417 | 429 | 431 | 500, code: string, message: string]

export const REASONS = {
  malformed: [400, 'malformed_request', 'This is not valid HTTP.'],
  headersTooLarge: [431, 'headers_too_large', 'The headers exceed the maximum size of 16 KB.'],
  timeout: [408, 'request_timeout', 'The request took too long to arrive.'],
  tooMany: [429, 'too_many_connections', 'Too many connections from this address at once. Close some and try again.'],
  unexpected: [417, 'expectation_failed', 'Nothing but 100-continue can be expected.'],
  broken: [500, 'internal_error', 'Internal server error'],
} as const satisfies Record<string, Reason>

/**
 * Rejects requests before the application receives them, in the shape of every other error; then closes the connection.
 */
export interface Refusals {
  text(reason: Reason, error?: unknown): { status: number; headers: Record<string, string>; text: string }
  respond(response: ServerResponse, reason: Reason): void
  /** For a connection without a readable request. */
  end(socket: Duplex, reason: Reason): void
}

export function createRefusals(log: Log): Refusals {
  function refusal([status, code, message]: Reason, error?: unknown) {
    const body: ErrorBody = errorBody({ status, code, message })
    const requestId = randomUUID()
    const fields = { requestId, errorId: body.errorId, code, status }
    if (status === 500) log.error({ ...fields, error }, 'request failed')
    else if (status === 429) log.debug(fields, 'connection refused')
    else log.info(fields, 'connection refused')
    const text = JSON.stringify(body)
    const headers: Record<string, string> = {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Request-Id': requestId,
      Connection: 'close',
      'Content-Length': String(Buffer.byteLength(text)),
      ...(status === 429 && { 'Retry-After': '1' }),
    }
    return { status, phrase: body.error, headers, text }
  }
  return {
    text: refusal,
    respond(response, reason) {
      const { status, headers, text } = refusal(reason)
      response.writeHead(status, headers).end(text)
    },
    end(socket, reason) {
      const { status, phrase, headers, text } = refusal(reason)
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
      socket.end(`HTTP/1.1 ${status} ${phrase}\r\n${lines.join('')}\r\n${text}`, () => socket.destroy())
    },
  }
}

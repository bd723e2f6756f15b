import type { Server } from 'node:http'
import type { Log } from '../process/log.ts'
import { errorBody } from './errors.ts'

const REASONS: Record<string, [status: number, code: string, message: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'The headers exceed the maximum size of 16 KB.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout', 'The request took too long to arrive.'],
}

/** What Node refuses before the application sees it gets the same shape as every other error. */
export function refuseBrokenRequests(server: Server, log: Log): void {
  // 6 MB over 0.5 Mbit/s. Who sends slowly on purpose keeps a connection for as long, and one of its few uploads.
  server.requestTimeout = 120_000
  server.headersTimeout = 15_000
  server.keepAliveTimeout = 10_000
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const [status, code, message] = REASONS[error.code ?? ''] ?? [400, 'malformed_request', 'This is not valid HTTP.']
    const body = errorBody({ status: status as 400, code, message })
    log.info({ errorId: body.errorId, code, status }, 'connection refused')
    const text = JSON.stringify(body)
    socket.end(
      `HTTP/1.1 ${status} ${body.error}\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n` +
        `X-Content-Type-Options: nosniff\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
      () => socket.destroy(),
    )
  })
}

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { onRequestEnd } from './request-end.ts'

/** Minimum average rate of a body after its first seconds. */
const LEAST_BYTES_PER_SECOND = 8_192
const FIRST_SECONDS = 5
/** Seconds that a client has to read its response. */
const READING_SECONDS = 60

interface Open {
  request: IncomingMessage
  response: ServerResponse
  /** Bytes read from the socket before the request began. */
  bytesBefore: number
  /** Seconds spent waiting for the client's body. */
  waited: number
  /** Seconds since the complete response was written, or since the client took something of one that waits for it. */
  reading: number
  /** Bytes of the response that the socket had at the last check. */
  written: number
}

/**
 * Ends requests whose body arrives too slowly and responses that are not read, because both hold memory and a slot. One
 * timer per second checks all requests.
 * @param tooSlow answers a request whose response has not begun
 * @param secondMs shorter in tests
 */
export function disconnectSlowClients(
  server: Server,
  tooSlow: (request: IncomingMessage, response: ServerResponse) => void,
  secondMs = 1_000,
): void {
  const open = new Set<Open>()
  server.on('request', (request, response) => {
    const { bytesRead } = request.socket
    const one: Open = { request, response, bytesBefore: bytesRead, waited: 0, reading: 0, written: 0 }
    open.add(one)
    onRequestEnd(request, response, () => void open.delete(one))
  })
  const timer = setInterval(() => {
    for (const one of open) look(one)
  }, secondMs).unref()
  server.once('close', () => clearInterval(timer))

  function look(one: Open): void {
    const { request, response } = one
    const { bytesWritten } = request.socket
    const isStuck = response.writableNeedDrain && bytesWritten === one.written
    one.written = bytesWritten
    one.reading = response.writableEnded || isStuck ? one.reading + 1 : 0
    if (one.reading > READING_SECONDS) return void request.socket.destroy()
    // Data that has arrived but was not read is this process' delay, not the client's.
    if (request.complete || response.headersSent || request.readableLength > 0) return
    one.waited++
    const arrived = request.socket.bytesRead - one.bytesBefore
    if (one.waited > FIRST_SECONDS && arrived < one.waited * LEAST_BYTES_PER_SECOND) tooSlow(request, response)
  }
}

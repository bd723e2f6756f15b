import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { whenOver } from './request-end.ts'

/** Average that a body must arrive with, once its first seconds are over. */
const LEAST_BYTES_PER_SECOND = 8_192
const FIRST_SECONDS = 5
/** How long a client may take to read its response. */
const READING_SECONDS = 60

interface Open {
  request: IncomingMessage
  response: ServerResponse
  /** Of the socket, when the request began. */
  bytesBefore: number
  /** Seconds in which the client kept us waiting for its body. */
  waited: number
  /** Seconds since the whole response was handed over. */
  reading: number
}

/**
 * Ends requests whose body arrives too slowly, and responses that nobody reads: both hold memory and a place that others
 * wait for. Looks once a second at all of them, so that a request costs no timer.
 * @param tooSlow answers a request whose response has not begun
 */
export function endSlowClients(
  server: Server,
  tooSlow: (request: IncomingMessage, response: ServerResponse) => void,
): void {
  const open = new Set<Open>()
  server.on('request', (request, response) => {
    const { bytesRead } = request.socket
    const one: Open = { request, response, bytesBefore: bytesRead, waited: 0, reading: 0 }
    open.add(one)
    whenOver(request, response, () => void open.delete(one))
  })
  const timer = setInterval(() => {
    for (const one of open) look(one)
  }, 1_000).unref()
  server.once('close', () => clearInterval(timer))

  function look(one: Open): void {
    const { request, response } = one
    if (response.writableEnded && ++one.reading > READING_SECONDS) return void request.socket.destroy()
    // What has arrived and was not taken yet is our delay, not the client's.
    if (request.complete || response.headersSent || request.readableLength > 0) return
    one.waited++
    const arrived = request.socket.bytesRead - one.bytesBefore
    if (one.waited > FIRST_SECONDS && arrived < one.waited * LEAST_BYTES_PER_SECOND) tooSlow(request, response)
  }
}

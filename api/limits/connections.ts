import { createServer, type Server } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import type { Log } from '../../process/log.ts'
import { createRefusals, REASONS, type Reason } from '../http/refusal.ts'
import { clientOf, NO_PROXIES } from './client-address.ts'
import { type GateLimits, limitAddresses } from './gate.ts'
import { drainRefused } from './refused-bodies.ts'
import { disconnectSlowClients } from './slow-clients.ts'

const OF_NODE: Record<string, Reason> = {
  HPE_HEADER_OVERFLOW: REASONS.headersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: REASONS.timeout,
}

type Fetch = Parameters<typeof drainRefused>[0]

const NO_LIMITS: GateLimits = { trustedProxies: NO_PROXIES, connectionsPerAddress: 256 }

/** An HTTP server for the application, with connection budgets and a minimum rate for bodies. */
export function createHttpServer(fetch: Fetch, log: Log, limits: GateLimits = NO_LIMITS): Server {
  const refusals = createRefusals(log)
  const drained = drainRefused(fetch, (incoming) => clientOf(incoming, limits.trustedProxies))
  const listener = getRequestListener(drained as Parameters<typeof getRequestListener>[0], {
    // HTTP/1.0 allows requests without a Host header.
    hostname: 'localhost',
    errorHandler(error) {
      const isMalformed = error instanceof RequestError
      const { status, headers, text } = refusals.text(isMalformed ? REASONS.malformed : REASONS.broken, error)
      return new Response(text, { status, headers })
    },
  })
  const options = {
    // Node's own rejection has no body.
    requireHostHeader: false,
    // How often the two time-outs below are checked.
    connectionsCheckingInterval: 1_000,
  }
  const server = createServer(options, (request, response) => {
    if (!mayGoOn(request, response)) return
    if (request.httpVersion === '1.0' || request.headers.host !== undefined) return listener(request, response)
    refusals.respond(response, REASONS.malformed)
  })
  const mayGoOn = limitAddresses(server, limits, refusals)
  disconnectSlowClients(server, ({ socket }) => refusals.end(socket, REASONS.timeout))
  server.on('checkExpectation', (_, response) => refusals.respond(response, REASONS.unexpected))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    refusals.end(socket, OF_NODE[error.code ?? ''] ?? REASONS.malformed)
  })
  // 6 MB over 0.5 Mbit/s.
  server.requestTimeout = 120_000
  server.headersTimeout = 10_000
  // Longer than load balancers keep an idle connection, so that this side never closes a connection that is about to be
  // used.
  server.keepAliveTimeout = 75_000
  return server
}

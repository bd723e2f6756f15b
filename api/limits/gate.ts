import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { REASONS, type Refusals } from '../http/refusal.ts'
import { createBudget } from './budget.ts'
import { clientAddress, clientNetwork, clientOf, NO_PROXIES, type TrustedProxies } from './client-address.ts'
import { onRequestEnd } from './request-end.ts'

export interface GateLimits {
  trustedProxies: TrustedProxies
  /** Concurrent connections of one address, and concurrent requests of one client of a trusted proxy. */
  connectionsPerAddress: number
}

/** Connections of a process, as a multiple of the limit per address. */
const ADDRESSES = 16

/**
 * Refused connections of one address that get a response, per `ms`. The others are reset, which costs the event loop a
 * fraction of it.
 */
const REFUSED = { withResponse: 8, ms: 1_000 }

/**
 * Limits the connections of one address. Connections of a trusted proxy are not counted; their requests are, by the
 * client that the proxy names.
 * @returns whether the request may continue; otherwise it has its response
 */
export function limitAddresses(
  server: Server,
  { trustedProxies, connectionsPerAddress: most }: GateLimits,
  refusals: Refusals,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const connections = createBudget(Number.MAX_SAFE_INTEGER)
  const refused = createBudget(Number.MAX_SAFE_INTEGER)
  const requests = createBudget(Number.MAX_SAFE_INTEGER)
  server.maxConnections = most * ADDRESSES
  server.on('connection', (socket: Socket) => {
    const peer = clientAddress(socket.remoteAddress, undefined, NO_PROXIES)
    if (trustedProxies.has(peer)) return
    const network = clientNetwork(peer)
    const accepted = connections.take(1, { [network]: most })
    if (accepted) return void socket.once('close', accepted)
    const forget = refused.take(1, { [network]: REFUSED.withResponse })
    if (!forget) return void socket.resetAndDestroy()
    setTimeout(forget, REFUSED.ms).unref()
    refusals.end(socket, REASONS.tooMany)
  })
  return (request, response) => {
    // The connection was refused: ignore further requests on it.
    if (request.socket.writableEnded) return false
    const release = requests.take(1, { [clientOf(request, trustedProxies)]: most })
    if (release) onRequestEnd(request, response, release)
    else refusals.respond(response, REASONS.tooMany)
    return release !== null
  }
}

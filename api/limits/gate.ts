import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { REASONS, type Refusals } from '../http/refusal.ts'
import { createBudget } from './budget.ts'
import { clientAddress, clientNetwork, NO_PROXIES, type TrustedProxies } from './client-address.ts'
import { onRequestEnd } from './request-end.ts'

export interface GateLimits {
  trustedProxies: TrustedProxies
  /** Concurrent connections of one address, and concurrent requests of one client of a trusted proxy. */
  connectionsPerAddress: number
}

/** Connections of a process, as a multiple of the limit per address. */
const ADDRESSES = 16

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
  const requests = createBudget(Number.MAX_SAFE_INTEGER)
  server.maxConnections = most * ADDRESSES
  server.on('connection', (socket: Socket) => {
    const peer = clientAddress(socket.remoteAddress, undefined, NO_PROXIES)
    if (trustedProxies.has(peer)) return
    const release = connections.take(1, { [clientNetwork(peer)]: most })
    if (release) socket.once('close', release)
    else refusals.end(socket, REASONS.tooMany)
  })
  return (request, response) => {
    // The connection was refused: ignore further requests on it.
    if (request.socket.writableEnded) return false
    const client = clientAddress(request.socket.remoteAddress, forwardedFor(request), trustedProxies)
    const release = requests.take(1, { [clientNetwork(client)]: most })
    if (release) onRequestEnd(request, response, release)
    else refusals.respond(response, REASONS.tooMany)
    return release !== null
  }
}

const forwardedFor = ({ headers }: IncomingMessage): string | undefined =>
  headers['x-forwarded-for'] as string | undefined

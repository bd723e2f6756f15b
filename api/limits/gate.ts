import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { REASONS, type Refusals } from '../http/refusal.ts'
import { createBudget } from './budget.ts'
import { clientAddress, clientNetwork, NO_PROXIES, type TrustedProxies } from './client-address.ts'
import { whenOver } from './request-end.ts'

export interface GateLimits {
  trustedProxies: TrustedProxies
  /** Connections of one address at once, and requests of one client behind a trusted proxy. */
  connectionsPerAddress: number
}

/** Connections of a process, as a multiple of those of one address. */
const ADDRESSES = 16

/**
 * One address may hold a part of the connections only. Connections of a trusted proxy are not counted, but the requests
 * on them are, by the client that the proxy names.
 * @returns whether a request may go on; it is answered otherwise
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
    // Refused as a connection: what arrives on it meanwhile is nobody's.
    if (request.socket.writableEnded) return false
    const client = clientAddress(request.socket.remoteAddress, forwardedFor(request), trustedProxies)
    const release = requests.take(1, { [clientNetwork(client)]: most })
    if (release) whenOver(request, response, release)
    else refusals.respond(response, REASONS.tooMany)
    return release !== null
  }
}

const forwardedFor = ({ headers }: IncomingMessage): string | undefined =>
  headers['x-forwarded-for'] as string | undefined

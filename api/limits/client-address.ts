import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'
import { addressBlocks } from '../../process/address-blocks.ts'

export interface TrustedProxies {
  has(address: string): boolean
}

export const NO_PROXIES: TrustedProxies = { has: () => false }

/** An IPv6 client usually has a whole /64; counted by address it would have 2^64 budgets. */
const IPV6_CLIENT_BITS = 64
/** Hops of `X-Forwarded-For` that are evaluated. */
const MAX_HOPS = 20

/** @param text addresses and CIDR ranges, comma-separated @throws an Error that names the first bad one */
export function readTrustedProxies(text: string): TrustedProxies {
  const given = text.split(',').map((one) => one.trim())
  const blocks = given.filter((one) => one !== '')
  return blocks.length > 0 ? addressBlocks(blocks) : NO_PROXIES
}

/**
 * The client's address: the rightmost entry of `X-Forwarded-For` that is not a trusted proxy, because the client
 * controls everything to its left. Without trusted proxies it is the peer of the connection.
 * @returns '' when there is no peer
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | undefined,
  trusted: TrustedProxies,
): string {
  let client = addressOf(peer ?? '')
  const hops = trusted.has(client) ? (forwardedFor ?? '').split(',').slice(-MAX_HOPS) : []
  while (trusted.has(client)) {
    const next = addressOf(hops.pop() ?? '')
    if (next === '') break
    client = next
  }
  return client
}

/** The key of a client's budgets: its IPv4 address, or the /64 of its IPv6 address. */
export function clientNetwork(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${IPV6_CLIENT_BITS}`)}/${IPV6_CLIENT_BITS}`
}

/** The key of the budgets of the client that sent a request. */
export function clientOf({ socket, headers }: IncomingMessage, trusted: TrustedProxies): string {
  return clientNetwork(clientAddress(socket.remoteAddress, headers['x-forwarded-for'] as string | undefined, trusted))
}

/**
 * Some load balancers append the client's port. IPv4-mapped IPv6 addresses become IPv4. @returns '' for an invalid
 * address
 */
function addressOf(text: string): string {
  const bare = text
    .trim()
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
  return ipaddr.isValid(bare) ? ipaddr.process(bare).toString() : ''
}

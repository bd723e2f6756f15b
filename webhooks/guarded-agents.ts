import dns from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import tls from 'node:tls'
import pLimit from 'p-limit'
import { type AllowedNetworks, mayReceive, NO_NETWORKS } from './address-rule.ts'

/** The host is, or has among its addresses, one that `mayReceive` refuses. */
export class AddressRefused extends Error {
  override name = 'AddressRefused'
}

export interface Ways {
  allowed: AllowedNetworks
  /** A proxy that opens tunnels (CONNECT) to receivers, and then decides which names may be reached. */
  proxy: URL | null
  /** Authorities in addition to those of the machine; for tests. Processes take NODE_EXTRA_CA_CERTS. */
  ca?: string
  /** Default: the machine's resolver. */
  lookup?: LookupFunction
}

export const PUBLIC_ONLY: Ways = { allowed: NO_NETWORKS, proxy: null }

type Connected = (error: Error | null, socket?: import('node:stream').Duplex) => void
// The types of @types/node leave out the callback and its later call.
type Connecting = (options: tls.ConnectionOptions & { host: string }, connected: Connected) => never

/** Idle connections are kept this long. Several tenants may share a receiver's host, so no limit is per host. */
const KEPT = { keepAlive: true, timeout: 30_000, maxTotalSockets: 200 }
/** getaddrinfo blocks one of the process' four threads while a name server is silent; two stay for other work. */
const turns = pLimit(2)

/** Agents that connect to addresses that `mayReceive` permits and to no other. */
export function guardedAgents(ways: Ways): { 'http:': http.Agent; 'https:': https.Agent } {
  const connectOf = (direct: Connecting, tunnelled: (socket: object, options: object) => unknown): Connecting => {
    return ((options, connected) => {
      if (isIP(options.host) !== 0 && !mayReceive(options.host, ways.allowed))
        return void connected(new AddressRefused('the address is not public'))
      if (ways.proxy) return void openTunnel(ways.proxy, options, connected, tunnelled)
      return direct({ ...options, lookup: guardedLookup(ways) } as never, connected)
    }) as Connecting
  }
  const plain = new http.Agent(KEPT) as http.Agent & { createConnection: unknown }
  // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0, which somebody set for another connection, changes nothing.
  const secure = new https.Agent({
    ...KEPT,
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    ...caOf(ways),
  }) as https.Agent & {
    createConnection: unknown
  }
  plain.createConnection = connectOf(http.Agent.prototype.createConnection as Connecting, (socket) => socket).bind(
    plain,
  )
  secure.createConnection = connectOf(
    (https.Agent.prototype.createConnection as Connecting).bind(secure),
    (socket, options) => tls.connect({ ...options, socket } as tls.ConnectionOptions),
  )
  return { 'http:': plain, 'https:': secure }
}

const caOf = ({ ca }: Ways) => (ca === undefined ? {} : { ca: [...tls.rootCertificates, ca] })

/** Resolves once, and connects to what it checked. One refused address refuses the name. */
export function guardedLookup({ allowed, lookup = dns.lookup as LookupFunction }: Ways): LookupFunction {
  return (host, options, found) =>
    void turns(
      () =>
        new Promise<void>((resolve) => {
          lookup(host, { ...options, all: true }, (error, result) => {
            resolve()
            if (error) return found(error, [])
            const addresses = result as dns.LookupAddress[]
            if (!addresses.every(({ address }) => mayReceive(address, allowed)))
              return found(new AddressRefused('the name has an address that is not public'), [])
            if (options.all) return found(null, addresses)
            const [first] = addresses
            return found(first ? null : new Error('no address'), first?.address ?? '', first?.family)
          })
        }),
    )
}

function openTunnel(
  proxy: URL,
  options: { host: string; port?: unknown },
  connected: Connected,
  over: (socket: object, options: object) => unknown,
): void {
  const host = isIP(options.host) === 6 ? `[${options.host}]` : options.host
  const path = `${host}:${options.port}`
  const login = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`
  const authorization = { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` }
  const asked = http.request({
    ...{ host: proxy.hostname, port: proxy.port || 80, method: 'CONNECT', path, agent: false },
    headers: { host: path, ...(login !== ':' && authorization) },
  })
  asked.once('connect', ({ statusCode }, socket) => {
    if (statusCode === 200) return connected(null, over(socket, options) as never)
    socket.destroy()
    connected(Object.assign(new Error('the proxy refused the tunnel'), { code: 'PROXY_REFUSED' }))
  })
  asked.once('error', (error) => connected(error))
  asked.end()
}

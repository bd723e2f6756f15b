import { randomUUID } from 'node:crypto'
import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context, MiddlewareHandler } from 'hono'
import type { ApiDeps, ApiEnv } from '../context.ts'
import { clientAddress, clientNetwork, NO_PROXIES } from '../limits/client-address.ts'
import { toApiError } from './errors.ts'
import type { Metrics } from './metrics.ts'
import type { KnownPaths } from './paths.ts'

const SANE_ID = /^[\w.:-]{1,128}$/
/** Probes, which are too frequent for a log line each. */
const QUIET = new Set(['/health', '/ready'])

/** Sets the request id and common headers; writes one log line and the metrics of each request. */
export function observe(
  { log, trustedProxies = NO_PROXIES }: Pick<ApiDeps, 'log' | 'trustedProxies'>,
  metrics: Metrics,
  paths: () => KnownPaths,
): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const started = performance.now()
    const given = c.req.header('x-request-id')
    const requestId = given && SANE_ID.test(given) ? given : randomUUID()
    const route = paths().find(c.req.path)?.template ?? 'unknown'
    c.set('requestId', requestId)
    c.set('route', route)
    const address = clientAddress(peerOf(c), c.req.header('x-forwarded-for'), trustedProxies)
    c.set('clientAddress', address)
    c.set('clientNetwork', clientNetwork(address))
    c.header('x-request-id', requestId)
    c.header('cache-control', 'no-store')
    c.header('x-content-type-options', 'nosniff')
    await next()
    const { method } = c.req
    const { status } = c.res
    const milliseconds = performance.now() - started
    const code = c.error && toApiError(c.error).code
    metrics.record({ method: known(method), route, status, code, seconds: milliseconds / 1000 })
    if (QUIET.has(route)) return
    const credentialId = c.get('principal')?.credentialId
    log.info(
      { requestId, method, route, status, durationMs: Math.round(milliseconds * 10) / 10, credentialId },
      'request',
    )
  }
}

/** Undefined when the request came without a socket. */
function peerOf(c: Context): string | undefined {
  try {
    return getConnInfo(c).remote.address
  } catch {
    return undefined
  }
}

/** Clients may send any method name; the metric label stays bounded. */
const known = (method: string) =>
  ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].includes(method) ? method : 'other'

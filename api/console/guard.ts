import type { Context, MiddlewareHandler } from 'hono'
import type { ApiEnv } from '../context.ts'
import { ApiError } from '../http/errors.ts'
import { isForwarded } from './paths.ts'
import type { PublicUrl } from './public-url.ts'

/**
 * Rejects requests with a session that another page caused. Hono's `csrf()` lets a cross-site POST of JSON through and
 * relies on CORS; this rule also covers reads. Browsers set both headers, and no page can.
 * @see https://www.w3.org/TR/fetch-metadata/
 */
export function guardConsole(publicUrl: PublicUrl): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    if (isGuarded(c) && !isOwnRequest(c, publicUrl))
      throw new ApiError(
        403,
        'cross_site_request',
        `The console takes requests from its own page only. It is at ${publicUrl.origin}.`,
      )
    await next()
  }
}

/** The others, shell, assets and reports, neither read a session nor change one. */
const isGuarded = (c: Context) => c.req.path === '/console/session' || isForwarded(c.req.raw)

function isOwnRequest(c: Context, publicUrl: PublicUrl): boolean {
  const site = c.req.header('sec-fetch-site')
  if (site === undefined) return publicUrl.isOwn(c.req.header('origin'))
  return site === 'same-origin' && (c.req.header('sec-fetch-dest') ?? 'empty') === 'empty'
}

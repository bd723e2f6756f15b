import type { Context, MiddlewareHandler } from 'hono'
import { inScope } from '../../db/core/scope.ts'
import type { ApiEnv } from '../context.ts'
import { ApiError } from '../http/errors.ts'
import type { RateLimits } from '../limits/rate-limit.ts'
import { type Authenticator, addressNotAllowed, type Caller, rejections } from './auth.ts'
import type { RoleCheck } from './roles.ts'

/** Operations on merchants belong to the account: they ignore the reference header and need an account credential. */
const ACCOUNT_LEVEL = /^\/v1\/merchants(\/[^/]+)?$/

/**
 * Webhook endpoints are of a merchant or, when an account credential selects none, of the account for all its merchants.
 */
const OF_ALL_MERCHANTS = /^\/v1\/webhook-endpoints(\/|$)/

/** The deactivation is no such operation: it acts on the merchant that credential and header select. */
const isAccountLevel = (method: string, path: string) => ACCOUNT_LEVEL.test(path) && method !== 'DELETE'

const selectsOne = (c: Context) => Boolean(c.req.header('reference-account-id')?.trim())

export const apply = (c: Context, headers: Record<string, string>) => {
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
}

/** Operations about the caller, whatever its scope: no merchant is selected. */
const ABOUT_CALLER = '/v1/me'

/** Whether the request acts on one merchant, which credential and header select. */
const selectsMerchant = (c: Context, { scope }: Caller) =>
  c.req.path !== ABOUT_CALLER && (!OF_ALL_MERCHANTS.test(c.req.path) || scope !== 'account' || selectsOne(c))

/** Checks credential or session, client address, rate limit and role, then selects the merchant. */
export function authorize(
  authenticator: Authenticator,
  callerOf: (c: Context<ApiEnv>) => Promise<Caller>,
  limits: RateLimits,
  requireRole: RoleCheck,
): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const caller = await callerOf(c).catch(async (error) => {
      if (error instanceof ApiError && error.status === 401)
        apply(c, await limits.countUnauthenticated(c.get('clientNetwork')))
      throw error
    })
    if (!caller.allows(c.get('clientAddress'))) {
      // A stolen token must not use up its owner's rate limit.
      apply(c, await limits.countUnauthenticated(c.get('clientNetwork')))
      throw addressNotAllowed()
    }
    c.set('principal', caller)
    apply(c, await limits.countRequest(caller))
    requireRole(c, caller)
    if (isAccountLevel(c.req.method, c.req.path)) {
      if (caller.scope !== 'account') throw rejections.accountLevel()
    } else if (selectsMerchant(c, caller)) {
      c.set('merchantUuid', await authenticator.selectMerchant(caller, c.req.header('reference-account-id')))
    }
    await inScope({ accountId: caller.accountId, merchantUuid: c.get('merchantUuid') ?? null }, next)
    // With a second merchant, the next request already requires the reference header.
    if (c.req.method === 'POST' && c.req.path === '/v1/merchants') authenticator.forget(caller.accountId)
  }
}

/**
 * As `limitUnauthenticated`, with a separate budget: a client that uses up the other must not make the process look
 * unhealthy.
 */
export function limitProbes(limits: RateLimits): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    apply(c, await limits.countProbe(c.get('clientNetwork')))
    await next()
  }
}

/** Rate limit of requests that need no credential. */
export function limitUnauthenticated(limits: RateLimits): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    apply(c, await limits.countUnauthenticated(c.get('clientNetwork')))
    await next()
  }
}

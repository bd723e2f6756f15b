import { RateLimiterMemory } from 'rate-limiter-flexible'
import { countRequest, type Standing } from '../db/request-counts.ts'
import type { ApiDeps } from './context.ts'
import { ApiError } from './errors.ts'

const SECONDS = 60

/** Counts a request and says in headers where its caller stands. */
export interface RateLimits {
  /** Per credential, shared by all processes through Postgres. @throws ApiError 429 */
  countRequest(credentialId: string): Promise<Record<string, string>>
  /** Requests without a good credential, per remote address and process. @throws ApiError 429 */
  countStranger(address: string): Promise<Record<string, string>>
  /** Deliveries to one integration's address, per process. @throws ApiError 429 */
  countNotification(integrationId: string): Promise<Record<string, string>>
}

export function createRateLimits({ db, rateLimitPerMinute }: Pick<ApiDeps, 'db' | 'rateLimitPerMinute'>): RateLimits {
  const window = { points: rateLimitPerMinute, duration: SECONDS }
  const strangers = new RateLimiterMemory({ ...window, keyPrefix: 'stranger' })
  const notifications = new RateLimiterMemory({ ...window, keyPrefix: 'notification' })

  function judge({ consumedPoints, msBeforeNext }: Standing): Record<string, string> {
    // Windows in memory end by a timer, but tell when by this machine's clock, which may have been set back.
    const seconds = Math.min(SECONDS, Math.max(1, Math.ceil(msBeforeNext / 1000)))
    const headers = {
      'ratelimit-limit': String(rateLimitPerMinute),
      'ratelimit-remaining': String(Math.max(0, rateLimitPerMinute - consumedPoints)),
      'ratelimit-reset': String(seconds),
    }
    if (consumedPoints <= rateLimitPerMinute) return headers
    throw new ApiError(429, 'rate_limit_exceeded', `Rate limit exceeded. Try again in ${seconds} seconds.`, {
      ...headers,
      'retry-after': String(seconds),
    })
  }
  return {
    countRequest: async (credentialId) => judge(await countRequest(db, `credential:${credentialId}`, SECONDS * 1000)),
    // A penalty counts as much as a use, and is told instead of thrown.
    countStranger: async (address) => judge(await strangers.penalty(address)),
    countNotification: async (integrationId) => judge(await notifications.penalty(integrationId)),
  }
}

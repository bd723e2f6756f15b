import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import { requestCountClient } from '../db/request-counts.ts'
import type { ApiDeps } from './context.ts'
import { ApiError } from './errors.ts'

const SECONDS = 60

/** Counts a request and says in headers where its caller stands. */
export interface RateLimits {
  /** Per credential, shared by all processes through Postgres. @throws ApiError 429 */
  countRequest(credentialId: string): Promise<Record<string, string>>
  /** Requests without a good credential, per remote address and process. @throws ApiError 429 */
  countStranger(address: string): Promise<Record<string, string>>
  /** Deliveries to one integration's address, whether or not there is such an integration, per process. @throws ApiError 429 */
  countNotification(integrationId: string): Promise<Record<string, string>>
}

export function createRateLimits({ db, rateLimitPerMinute }: Pick<ApiDeps, 'db' | 'rateLimitPerMinute'>): RateLimits {
  const window = { points: rateLimitPerMinute, duration: SECONDS }
  const credentials = new RateLimiterPostgres({
    ...window,
    keyPrefix: 'credential',
    storeClient: requestCountClient(db),
    storeType: 'client',
    tableName: 'request_count',
    tableCreated: true,
  })
  const strangers = new RateLimiterMemory({ ...window, keyPrefix: 'stranger' })
  const notifications = new RateLimiterMemory({ ...window, keyPrefix: 'notification' })
  const headers = (state: RateLimiterRes) => ({
    'ratelimit-limit': String(rateLimitPerMinute),
    'ratelimit-remaining': String(state.remainingPoints),
    'ratelimit-reset': String(Math.ceil(state.msBeforeNext / 1000)),
  })

  async function count(limiter: RateLimiterPostgres | RateLimiterMemory, key: string) {
    try {
      return headers(await limiter.consume(key))
    } catch (state) {
      if (!(state instanceof RateLimiterRes)) throw state
      const seconds = Math.max(1, Math.ceil(state.msBeforeNext / 1000))
      throw new ApiError(429, 'rate_limit_exceeded', `Rate limit exceeded. Try again in ${seconds} seconds.`, {
        ...headers(state),
        'retry-after': String(seconds),
      })
    }
  }
  return {
    countRequest: (credentialId) => count(credentials, credentialId),
    countStranger: (address) => count(strangers, address),
    countNotification: (integrationId) => count(notifications, integrationId),
  }
}

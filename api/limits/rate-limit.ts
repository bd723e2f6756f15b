import { setTimeout as sleep } from 'node:timers/promises'
import pLimit, { type LimitFunction } from 'p-limit'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { countRequests, type WindowState } from '../../db/merchants/request-counts.ts'
import type { ApiDeps } from '../context.ts'
import { ApiError } from '../http/errors.ts'
import { countTogether } from './counting.ts'
import { recentlyUsed } from './recently-used.ts'

const SECONDS = 60
/**
 * A caller that goes on at twice its limit gets delayed responses, because an immediate rejection invites an immediate
 * retry.
 */
const LATE = { times: 2, ms: 1_000 }
/** Failed sign-ins to the console that one client has in a window. */
const FAILED_SIGN_INS = 10
/** Deliveries of one client with too many rejections that wait or are read at the same time; further ones queue. */
const HELD_BACK_AT_ONCE = 16
/** Clients whose queues are kept. */
const QUEUES = 1_000

/** Counts requests and returns the caller's rate limit state as headers. */
export interface RateLimits {
  /**
   * Counts per account and process, in memory, then per credential, shared by all processes through Postgres.
   * @returns the credential's rate limit headers
   * @throws ApiError 429
   */
  countRequest(caller: { accountId: string; credentialId: string }): Promise<Record<string, string>>
  /** Requests without a valid credential or signature, per client address and process. @throws ApiError 429 */
  countUnauthenticated(address: string): Promise<Record<string, string>>
  /** Sign-ins to the console with a bad token, per client address and process: ten. @throws ApiError 429 */
  countFailedSignIn(address: string): Promise<Record<string, string>>
  /** Probes of the public port, per client address and process. @throws ApiError 429 */
  countProbe(address: string): Promise<Record<string, string>>
  /** Verified deliveries to one integration's address, per process. @throws ApiError 429 */
  countNotification(integrationId: string): Promise<Record<string, string>>
  /**
   * Deliveries that require a verification call to the PSP, per client address and integration. @throws ApiError 429
   */
  countVerificationCall(address: string, integrationId: string): Promise<Record<string, string>>
  /**
   * Delays the deliveries of a client with too many rejections by a second each, 16 at a time. None is refused for that:
   * a PSP delivers for all its customers from the same few addresses.
   */
  holdBack(address: string, deliver: () => Promise<void>): Promise<void>
}

type Limits = Pick<ApiDeps, 'db' | 'rateLimitPerMinute' | 'accountLimitPerMinute' | 'unauthenticatedLimitPerMinute'>

export function createRateLimits({ db, rateLimitPerMinute, ...rest }: Limits): RateLimits {
  const { accountLimitPerMinute = Number.MAX_SAFE_INTEGER, unauthenticatedLimitPerMinute = rateLimitPerMinute } = rest
  const ofUnauthenticated = Math.min(unauthenticatedLimitPerMinute, rateLimitPerMinute)
  const window = (keyPrefix: string, points: number) => new RateLimiterMemory({ points, duration: SECONDS, keyPrefix })
  const accounts = window('account', accountLimitPerMinute)
  const unauthenticated = window('unauthenticated', ofUnauthenticated)
  const signIns = window('sign-in', FAILED_SIGN_INS)
  const probes = window('probe', ofUnauthenticated)
  const verifications = window('question', ofUnauthenticated)
  const notifications = window('notification', rateLimitPerMinute)
  const ofCredentials = countTogether((requests) => countRequests(db, requests, SECONDS * 1000))

  async function enforce(
    limit: number,
    { consumedPoints, msBeforeNext }: WindowState,
  ): Promise<Record<string, string>> {
    // In-memory windows end by a timer but report their end by this machine's clock, which may have been set back.
    const seconds = Math.min(SECONDS, Math.max(1, Math.ceil(msBeforeNext / 1000)))
    const headers = {
      'ratelimit-limit': String(limit),
      'ratelimit-remaining': String(Math.max(0, limit - consumedPoints)),
      'ratelimit-reset': String(seconds),
    }
    if (consumedPoints <= limit) return headers
    if (consumedPoints > limit * LATE.times) await sleep(LATE.ms)
    throw new ApiError(429, 'rate_limit_exceeded', `Rate limit exceeded. Try again in ${seconds} seconds.`, {
      ...headers,
      'retry-after': String(seconds),
    })
  }
  // A penalty counts like a request, but is returned instead of thrown.
  const queues = recentlyUsed<LimitFunction>(QUEUES)
  const queueOf = (address: string) => {
    const queue = queues.get(address) ?? pLimit(HELD_BACK_AT_ONCE)
    queues.set(address, queue)
    return queue
  }
  const counting = (limiter: RateLimiterMemory) => async (key: string) =>
    enforce(limiter.points, await limiter.penalty(key))
  return {
    async countRequest({ accountId, credentialId }) {
      await counting(accounts)(accountId)
      return enforce(rateLimitPerMinute, await ofCredentials(`credential:${credentialId}`))
    },
    countUnauthenticated: counting(unauthenticated),
    countFailedSignIn: counting(signIns),
    countProbe: counting(probes),
    countNotification: counting(notifications),
    countVerificationCall: (address, integrationId) => counting(verifications)(`${address} ${integrationId}`),
    async holdBack(address, deliver) {
      const state = await unauthenticated.get(address)
      if (!state || state.consumedPoints <= ofUnauthenticated) return deliver()
      return queueOf(address)(() => sleep(LATE.ms).then(deliver))
    },
  }
}

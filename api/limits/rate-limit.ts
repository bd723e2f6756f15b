import { setTimeout as sleep } from 'node:timers/promises'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { countRequest, type Standing } from '../../db/merchants/request-counts.ts'
import type { ApiDeps } from '../context.ts'
import { ApiError } from '../http/errors.ts'

const SECONDS = 60
/** Who goes on at twice its limit is answered late: a refusal that costs nothing would be asked for at once again. */
const LATE = { times: 2, ms: 1_000 }

/** Counts a request and says in headers where its caller stands. */
export interface RateLimits {
  /**
   * Per account and process, in memory, and then per credential, shared by all processes through Postgres.
   * @returns where the credential stands
   * @throws ApiError 429
   */
  countRequest(caller: { accountId: string; credentialId: string }): Promise<Record<string, string>>
  /** Requests without a good credential or signature, per client address and process. @throws ApiError 429 */
  countStranger(address: string): Promise<Record<string, string>>
  /** Probes of the public port, per client address and process. @throws ApiError 429 */
  countProbe(address: string): Promise<Record<string, string>>
  /** Genuine deliveries to one integration's address, per process. @throws ApiError 429 */
  countNotification(integrationId: string): Promise<Record<string, string>>
  /** Deliveries that the PSP itself is asked about, per client address and integration. @throws ApiError 429 */
  countQuestion(address: string, integrationId: string): Promise<Record<string, string>>
  /** Lets a client wait that was refused too often. A genuine delivery from the same address only comes later. */
  holdBack(address: string): Promise<void>
}

type Limits = Pick<ApiDeps, 'db' | 'rateLimitPerMinute' | 'accountLimitPerMinute' | 'strangerLimitPerMinute'>

export function createRateLimits({ db, rateLimitPerMinute, ...rest }: Limits): RateLimits {
  const { accountLimitPerMinute = Number.MAX_SAFE_INTEGER, strangerLimitPerMinute = rateLimitPerMinute } = rest
  const ofStrangers = Math.min(strangerLimitPerMinute, rateLimitPerMinute)
  const window = (keyPrefix: string, points: number) => new RateLimiterMemory({ points, duration: SECONDS, keyPrefix })
  const accounts = window('account', accountLimitPerMinute)
  const strangers = window('stranger', ofStrangers)
  const probes = window('probe', ofStrangers)
  const questions = window('question', ofStrangers)
  const notifications = window('notification', rateLimitPerMinute)

  async function judge(limit: number, { consumedPoints, msBeforeNext }: Standing): Promise<Record<string, string>> {
    // Windows in memory end by a timer, but tell when by this machine's clock, which may have been set back.
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
  // A penalty counts as much as a use, and is told instead of thrown.
  const counting = (limiter: RateLimiterMemory) => async (key: string) =>
    judge(limiter.points, await limiter.penalty(key))
  return {
    async countRequest({ accountId, credentialId }) {
      await counting(accounts)(accountId)
      return judge(rateLimitPerMinute, await countRequest(db, `credential:${credentialId}`, SECONDS * 1000))
    },
    countStranger: counting(strangers),
    countProbe: counting(probes),
    countNotification: counting(notifications),
    countQuestion: (address, integrationId) => counting(questions)(`${address} ${integrationId}`),
    async holdBack(address) {
      const standing = await strangers.get(address)
      if (standing && standing.consumedPoints > ofStrangers) await sleep(LATE.ms)
    },
  }
}

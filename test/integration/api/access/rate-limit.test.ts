import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createAccount } from '../../../../db/merchants/accounts.ts'
import { countRequests } from '../../../../db/merchants/request-counts.ts'
import { createStage, type Stage } from '../stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
})
afterEach(() => vi.restoreAllMocks())
afterAll(() => stage[Symbol.asyncDispose]())

const rate = (headers: Headers) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`ratelimit-${name}`)))

describe('the rate limit', () => {
  it('is per credential, shared by all processes, and reported in headers', async () => {
    const apps = [stage.secondApp({ rateLimitPerMinute: 7 }), stage.secondApp({ rateLimitPerMinute: 7 })]
    const { token } = await stage.issue({ accountId: stage.accountId, scope: 'account' })
    const responses = []
    for (let n = 0; n < 7; n++) responses.push(await stage.call('GET', '/v1/chargebacks', { token }, apps[n % 2]))
    expect(responses.map((response) => response.status)).toEqual(Array(7).fill(200))
    expect(responses.map((response) => rate(response.headers)[1])).toEqual([6, 5, 4, 3, 2, 1, 0])
    for (const app of apps) {
      const refused = await stage.call('GET', '/v1/chargebacks', { token }, app)
      expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limit_exceeded' } })
      const [limit, remaining, reset] = rate(refused.headers)
      expect([limit, remaining]).toEqual([7, 0])
      expect(reset).toBeGreaterThan(0)
      expect(reset).toBeLessThanOrEqual(60)
      expect(Number(refused.headers.get('retry-after'))).toBe(reset)
    }
    const { token: other } = await stage.issue({ accountId: stage.accountId, scope: 'account' })
    expect((await stage.call('GET', '/v1/chargebacks', { token: other }, apps[0])).status).toBe(200)
  })

  it('of an account is shared by its credentials', async () => {
    const app = stage.secondApp({ accountLimitPerMinute: 3 })
    const issue = async () => (await stage.issue({ accountId: stage.accountId, scope: 'account' })).token
    const [one, other] = [await issue(), await issue()]
    const statuses: number[] = []
    for (const token of [one, other, one, other, one])
      statuses.push((await stage.call('GET', '/v1/chargebacks', { token }, app)).status)
    expect(statuses).toEqual([200, 200, 200, 429, 429])
    const { accountId } = await createAccount(stage.db, { name: 'Another' })
    const { token } = await stage.issue({ accountId, scope: 'account' })
    expect((await stage.call('GET', '/v1/merchants', { token }, app)).status).toBe(200)
  })

  it('counts concurrent requests exactly', async () => {
    const apps = [stage.secondApp({ rateLimitPerMinute: 20 }), stage.secondApp({ rateLimitPerMinute: 20 })]
    const { token } = await stage.issue({ accountId: stage.accountId, scope: 'account' })
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, n) => stage.call('GET', '/v1/chargebacks', { token }, apps[n % 2])),
    )
    expect(responses.filter((response) => response.status === 200)).toHaveLength(20)
    expect(responses.filter((response) => response.status === 429)).toHaveLength(10)
  })

  it('is counted over two connections at once, whatever the order of the callers', async () => {
    const keys = Array.from({ length: 20 }, (_, n) => `credential:caller-${n}`)
    const counts = async (order: string[]) => {
      for (let n = 0; n < 50; n++) await countRequests(stage.db, new Map(order.map((key) => [key, 1])), 60_000)
    }
    await Promise.all([counts(keys), counts(keys.toReversed())])
    const counted = await countRequests(stage.db, new Map(keys.map((key) => [key, 1])), 60_000)
    expect(keys.map((key) => counted.get(key)?.consumedPoints)).toEqual(Array(20).fill(101))
  })

  it('starts again in the next window', async () => {
    const app = stage.secondApp({ rateLimitPerMinute: 1 })
    const { token, credentialId } = await stage.issue({ accountId: stage.accountId, scope: 'account' })
    const status = async () => (await stage.call('GET', '/v1/chargebacks', { token }, app)).status
    expect([await status(), await status()]).toEqual([200, 429])
    await stage.db
      .updateTable('request_count')
      .set({ expire: BigInt(Date.now() - 1) })
      .where('key', 'like', `%${credentialId}`)
      .execute()
    expect(await status()).toBe(200)
  })

  it('uses the clock of Postgres: a process whose clock is ahead cannot prolong a window', async () => {
    const app = stage.secondApp({ rateLimitPerMinute: 1 })
    const { token, credentialId } = await stage.issue({ accountId: stage.accountId, scope: 'account' })
    const status = async () => (await stage.call('GET', '/v1/chargebacks', { token }, app)).status
    const day = 86_400_000
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + day)
    expect([await status(), await status()]).toEqual([200, 429])
    clock.mockRestore()
    const { expire } = await stage.db
      .selectFrom('request_count')
      .select('expire')
      .where('key', 'like', `%${credentialId}`)
      .executeTakeFirstOrThrow()
    expect(Number(expire)).toBeLessThan(Date.now() + day / 2)
    await stage.db
      .updateTable('request_count')
      .set({ expire: BigInt(Date.now() + day) })
      .where('key', 'like', `%${credentialId}`)
      .execute()
    expect(await status()).toBe(200)
  })

  it('also applies to requests with invalid tokens', async () => {
    const app = stage.secondApp({ rateLimitPerMinute: 5 })
    const statuses = []
    for (let n = 0; n < 7; n++)
      statuses.push((await stage.call('GET', '/v1/chargebacks', { token: 'a.b.c' }, app)).status)
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429])
  })
})

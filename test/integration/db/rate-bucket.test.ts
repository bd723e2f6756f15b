import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect } from '../../../db/core/connect.ts'
import { type Bucket, blockBucket, returnTokens, takeToken, takeTokens } from '../../../db/core/rate-bucket.ts'
import { createDatabase, type TestDatabase } from '../../harness/database.ts'

let database: TestDatabase
/** Connections of two processes. */
let one: ReturnType<typeof connect>
let other: ReturnType<typeof connect>
beforeAll(async () => {
  database = await createDatabase()
  one = connect(database.url, { scope: 'system', max: 3 })
  other = connect(database.url, { scope: 'system', max: 3 })
})
afterAll(async () => {
  await Promise.all([one.destroy(), other.destroy()])
  await database[Symbol.asyncDispose]()
})

const takeOne = async (db: typeof one, bucket: Bucket, most: number, returned: number) =>
  (await takeTokens(db, [{ bucket, most, returned }])).get(bucket.key)

describe('token bucket of a PSP account', () => {
  test('allows the burst at once and then makes callers wait, across all processes', async () => {
    const bucket = { key: 'stripe:shared', perSecond: 1, burst: 10 }
    const waits = await Promise.all(
      Array.from({ length: 20 }, (_, n) => takeToken(n % 2 ? one : other, bucket, 'command')),
    )
    expect(waits.filter((wait) => wait === 0).length).toBeGreaterThanOrEqual(10)
    expect(waits.filter((wait) => wait === 0).length).toBeLessThanOrEqual(12)
    expect(Math.max(...waits)).toBeGreaterThan(7_000)
  })

  test('a command overtakes polls: the last tokens are reserved for commands', async () => {
    const bucket = { key: 'stripe:reserve', perSecond: 1, burst: 5 }
    const polls: number[] = []
    for (let n = 0; n < 5; n++) polls.push(await takeToken(one, bucket, 'poll'))
    expect(polls.at(-1)).toBeGreaterThan(1_000)
    expect(await takeToken(other, bucket, 'command')).toBeLessThan(polls.at(-1) as number)
  })

  test('a poll takes several tokens at once, and only those beyond the reserve; unused ones are returned', async () => {
    const bucket = { key: 'stripe:ahead', perSecond: 0.001, burst: 10 }
    expect(await takeOne(one, bucket, 1, 0)).toEqual({ tokens: 1, waitMs: 0 })
    expect(await takeOne(one, bucket, 7, 0)).toEqual({ tokens: 7, waitMs: 0 })
    // Two are left, for commands.
    const short = await takeOne(other, bucket, 4, 0)
    expect([short?.tokens, (short?.waitMs ?? 0) > 0]).toEqual([1, true])
    expect(await takeToken(one, bucket, 'command')).toBe(0)
    await returnTokens(one, bucket, 6)
    expect(await takeOne(one, bucket, 4, 0)).toEqual({ tokens: 4, waitMs: 0 })
    expect(await takeOne(one, bucket, 4, 4)).toEqual({ tokens: 4, waitMs: 0 })
    await returnTokens(one, bucket, 1_000)
    expect(await takeOne(one, bucket, 9, 0)).toMatchObject({ tokens: 1 })
  })

  test('a poll takes no tokens ahead while the PSP requests a pause', async () => {
    const bucket = { key: 'stripe:pause', perSecond: 100, burst: 100 }
    await blockBucket(one, bucket, 60_000)
    const taken = await takeOne(other, bucket, 8, 100)
    expect([taken?.tokens, (taken?.waitMs ?? 0) > 55_000]).toEqual([1, true])
  })

  test('one statement takes the tokens of many accounts, each by its own limit; two processes exceed none', async () => {
    const account = (n: number) => ({ key: `adyen:many${n}`, perSecond: 0.001, burst: 5 + (n % 2) })
    const asks = Array.from({ length: 20 }, (_, n) => ({ bucket: account(n), most: 1, returned: 0 }))
    const rounds = await Promise.all(
      Array.from({ length: 8 }, (_, n) => takeTokens(n % 2 ? one : other, n % 3 ? asks : asks.toReversed())),
    )
    for (const { bucket } of asks) {
      const taken = rounds.map((round) => round.get(bucket.key))
      expect(taken.map((answer) => answer?.tokens)).toEqual(Array(8).fill(1))
      // Two are reserved for commands.
      expect(taken.filter((answer) => answer?.waitMs === 0)).toHaveLength(bucket.burst - 2)
    }
  })

  test('another account has its own tokens', async () => {
    expect(await takeToken(one, { key: 'stripe:quiet', perSecond: 1, burst: 5 }, 'poll')).toBe(0)
  })

  test('blocks all calls until the time that the PSP requested, and a shorter block does not shorten it', async () => {
    const bucket = { key: 'stripe:blocked', perSecond: 100, burst: 100 }
    await blockBucket(one, bucket, 60_000)
    await blockBucket(other, bucket, 1_000)
    expect(await takeToken(other, bucket, 'command')).toBeGreaterThan(55_000)
  })

  test('refills with time, never beyond the burst', async () => {
    const bucket = { key: 'stripe:refill', perSecond: 0.1, burst: 2 }
    for (let n = 0; n < 6; n++) await takeToken(one, bucket, 'command')
    await one
      .updateTable('rate_bucket')
      .set({ refilled_at: sql`now() - interval '1 day'` })
      .where('bucket', '=', bucket.key)
      .execute()
    expect(await takeToken(one, bucket, 'command')).toBe(0)
    expect(await takeToken(one, bucket, 'command')).toBe(0)
    expect(await takeToken(one, bucket, 'command')).toBeGreaterThan(0)
  })
})

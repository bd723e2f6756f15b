import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect } from '../../../db/core/connect.ts'
import { blockBucket, takeToken } from '../../../db/core/rate-bucket.ts'
import { createDatabase, type TestDatabase } from '../../harness/database.ts'

let database: TestDatabase
/** Two processes' worth of connections. */
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

describe('token bucket of a PSP account', () => {
  test('hands out the burst at once and then makes everybody wait, over all processes together', async () => {
    const bucket = { key: 'stripe:shared', perSecond: 1, burst: 10 }
    const waits = await Promise.all(
      Array.from({ length: 20 }, (_, n) => takeToken(n % 2 ? one : other, bucket, 'command')),
    )
    expect(waits.filter((wait) => wait === 0).length).toBeGreaterThanOrEqual(10)
    expect(waits.filter((wait) => wait === 0).length).toBeLessThanOrEqual(12)
    expect(Math.max(...waits)).toBeGreaterThan(7_000)
  })

  test('a command passes polls: the last tokens are kept for it', async () => {
    const bucket = { key: 'stripe:reserve', perSecond: 1, burst: 5 }
    const polls: number[] = []
    for (let n = 0; n < 5; n++) polls.push(await takeToken(one, bucket, 'poll'))
    expect(polls.at(-1)).toBeGreaterThan(1_000)
    expect(await takeToken(other, bucket, 'command')).toBeLessThan(polls.at(-1) as number)
  })

  test('another account has tokens of its own', async () => {
    expect(await takeToken(one, { key: 'stripe:quiet', perSecond: 1, burst: 5 }, 'poll')).toBe(0)
  })

  test('blocked by the PSP: nobody goes before the time it asked for, and a shorter block does not shorten it', async () => {
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

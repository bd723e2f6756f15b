import { expect, test } from 'vitest'
import type { Ask, Taken } from '../../../db/core/rate-bucket.ts'
import { openTokenStore } from '../../../workflows/activities/token-store.ts'

const ask = (key: string): Ask => ({ bucket: { key, perSecond: 10, burst: 15 }, most: 1, returned: 0 })
const tokenOf = (asks: readonly Ask[]) =>
  new Map<string, Taken>(asks.map((one) => [one.bucket.key, { tokens: 1, waitMs: 0 }]))
const keys = (asks: readonly Ask[]) => asks.map(({ bucket }) => bucket.key)

test('polls that ask while a statement takes tokens share the next one, each bucket once in it', async () => {
  const sent: string[][] = []
  const store = openTokenStore({} as never, async (_db, asks) => {
    sent.push(keys(asks))
    return tokenOf(asks)
  })
  await Promise.all(['a', 'b', 'c', 'b', 'a', 'b'].map((key) => store.take(ask(key))))
  expect(sent).toEqual([['a'], ['b', 'c', 'a'], ['b'], ['b']])
  await store.take(ask('d'))
  expect(sent.at(-1)).toEqual(['d'])
})

test('a statement asks for at most a hundred buckets', async () => {
  const sent: number[] = []
  const store = openTokenStore({} as never, async (_db, asks) => {
    sent.push(asks.length)
    return tokenOf(asks)
  })
  await Promise.all(Array.from({ length: 205 }, (_, n) => store.take(ask(`account ${n}`))))
  expect(sent).toEqual([1, 100, 100, 4])
})

test('a statement that fails is the error of those who wait for it, and of nobody else', async () => {
  let statements = 0
  const store = openTokenStore({} as never, async (_db, asks) => {
    if (++statements === 2) throw new Error('the database is down')
    return tokenOf(asks)
  })
  const results = await Promise.allSettled(['a', 'b', 'c', 'b'].map((key) => store.take(ask(key))))
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  expect(await store.take(ask('a'))).toEqual({ tokens: 1, waitMs: 0 })
})

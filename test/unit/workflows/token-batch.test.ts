import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Ask } from '../../../db/core/rate-bucket.ts'
import { openTokenBatch } from '../../../workflows/activities/token-batch.ts'

const taken = vi.fn()
const returned = vi.fn()
const store = {
  take: async ({ most, returned: back }: Ask) => taken(most, back),
  giveBack: async (_bucket: unknown, tokens: number) => returned(tokens),
}

beforeEach(() => {
  vi.useFakeTimers()
  taken.mockReset().mockImplementation((most: number) => ({ tokens: most, waitMs: 0 }))
  returned.mockReset()
})
afterEach(() => vi.useRealTimers())

const bucket = { key: 'stripe:acct', perSecond: 10, burst: 15 }
const open = () => openTokenBatch(bucket, store)

test('a poll of fifty requests takes its tokens in ten round trips, and one of a single request returns none', async () => {
  const batch = open()
  for (let n = 0; n < 50; n++) expect(await batch.take()).toBe(0)
  expect(taken.mock.calls.map(([most]) => most)).toEqual([1, 2, 4, 7, 7, 7, 7, 7, 7, 7])
  await batch.close()
  expect(returned.mock.calls).toEqual([[6]])
  const one = open()
  await one.take()
  await one.close()
  expect(returned).toHaveBeenCalledTimes(1)
})

test('tokens that are a second old are returned with the next round trip', async () => {
  const batch = open()
  for (let n = 0; n < 4; n++) await batch.take()
  vi.advanceTimersByTime(1_000)
  await batch.take()
  expect(taken.mock.calls.at(-1)).toEqual([7, 3])
})

test('a bucket with one token gives it, with its wait; a pause of the PSP discards held tokens', async () => {
  const batch = open()
  for (let n = 0; n < 2; n++) await batch.take()
  batch.discard()
  taken.mockReturnValueOnce({ tokens: 1, waitMs: 300 })
  expect(await batch.take()).toBe(300)
  await batch.close()
  expect(returned).not.toHaveBeenCalled()
})

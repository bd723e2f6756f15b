import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openReadAheadFixture } from './read-ahead-fixture.ts'

let fixture: Awaited<ReturnType<typeof openReadAheadFixture>>
beforeAll(async () => {
  fixture = await openReadAheadFixture()
})
afterAll(() => fixture[Symbol.asyncDispose]())
afterEach(() => fixture.reset())

/** Ages in days, with 100 disputes of each, so the list has 30 pages. After page 20 the adapter splits the rest into windows. */
const AGES = Array.from({ length: 30 }, (_, index) => 3 + index * 5)

test('windows of a long list are read at the same time, and every dispute is stored', async () => {
  const shop = await fixture.shopWith(100, AGES)
  await shop.poll()
  expect(fixture.observed.inFlight.most).toBe(4)
  expect(new Set(await shop.references()).size).toBe(3_000)
  expect((await shop.integration()).cursor).toMatchObject({ scan: null })
})

test.each([21, 22, 25])('they continue where each was, after the commit of page %i failed', async (nth) => {
  const shop = await fixture.shopWith(100, AGES)
  shop.failPage(nth)
  await expect(shop.poll()).rejects.toThrow('the commit failed')
  const { cursor } = await shop.integration()
  expect(cursor).toMatchObject({ scan: { pages: nth - 1 } })
  const before = shop.answered()
  await shop.poll()
  expect(new Set(await shop.references()).size).toBe(3_000)
  expect(await shop.references()).toHaveLength(3_000)
  // What was stored is not read again, but for a page at the end of each window.
  expect(shop.answered() - before).toBeLessThanOrEqual(31 - nth + 8)
})

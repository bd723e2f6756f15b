import { afterEach, expect, it, vi } from 'vitest'
import type { ApiDeps } from '../../../api/context.ts'
import { createRateLimits } from '../../../api/limits/rate-limit.ts'

afterEach(() => vi.restoreAllMocks())

it('Retry-After is no longer than a window, even if the clock is set back', async () => {
  const limits = createRateLimits({ db: {} as ApiDeps['db'], rateLimitPerMinute: 1 })
  expect(await limits.countUnauthenticated('a')).toMatchObject({ 'ratelimit-remaining': '0' })
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000)
  await expect(limits.countUnauthenticated('a')).rejects.toMatchObject({
    status: 429,
    headers: { 'retry-after': '60' },
  })
  expect(await limits.countNotification('a')).toMatchObject({ 'ratelimit-limit': '1', 'ratelimit-remaining': '0' })
})

it('of the deliveries of a client with too many rejections, 16 are read at the same time, and none is refused', async () => {
  const limits = createRateLimits({ db: {} as ApiDeps['db'], rateLimitPerMinute: 2 })
  for (let n = 0; n < 3; n++) await limits.countUnauthenticated('a').catch(() => undefined)
  let respond = () => {}
  const responded = new Promise<void>((resolve) => {
    respond = resolve
  })
  let [reading, most] = [0, 0]
  const deliver = async () => {
    most = Math.max(most, ++reading)
    await responded
    reading--
  }
  const all = Array.from({ length: 18 }, () => limits.holdBack('a', deliver))
  await expect.poll(() => reading, { timeout: 10_000 }).toBe(16)
  // Another client's delivery is read at once.
  await limits.holdBack('b', async () => respond())
  await Promise.all(all)
  expect(most).toBe(16)
})

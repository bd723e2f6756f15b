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

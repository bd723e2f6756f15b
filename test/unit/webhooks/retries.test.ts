import { expect, test } from 'vitest'
import { ATTEMPTS, nextAttemptSeconds, probeSeconds, retryAfterSeconds } from '../../../domain/webhooks/retries.ts'

const never = () => 0

test('a refused delivery is tried ten times within 75.6 hours, each pause up to a fifth longer', () => {
  const pauses = Array.from({ length: ATTEMPTS }, (_, index) => nextAttemptSeconds(index + 1, null, never))
  expect(pauses).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400, null])
  expect(pauses.reduce((sum, seconds) => (sum as number) + (seconds ?? 0), 0)).toBe(272_105)
  expect(nextAttemptSeconds(1, null, () => 1)).toBe(6)
})

test('Retry-After lengthens a pause, up to a day, and never shortens one', () => {
  expect(nextAttemptSeconds(1, 120, never)).toBe(120)
  expect(nextAttemptSeconds(3, 120, never)).toBe(1_800)
  expect(nextAttemptSeconds(1, 10 ** 9, never)).toBe(86_400)
  expect(nextAttemptSeconds(10, 120, never)).toBeNull()
})

test('Retry-After is read as seconds or as a date', () => {
  const now = new Date('2026-11-24T16:00:00Z')
  expect(retryAfterSeconds('120', now)).toBe(120)
  expect(retryAfterSeconds('Tue, 24 Nov 2026 16:01:00 GMT', now)).toBe(60)
  expect(retryAfterSeconds('Tue, 24 Nov 2026 15:00:00 GMT', now)).toBe(0)
  for (const text of [undefined, 'soon', '-5', '1e9', '99999999999999999999'])
    expect(retryAfterSeconds(text, now), text).toBeNull()
})

test('a failing endpoint is probed after 5 s, twice as long after each failure, at most an hour', () => {
  expect([1, 2, 3, 11, 1_000].map((failures) => probeSeconds(failures, never))).toEqual([5, 10, 20, 3_600, 3_600])
})

import { afterEach, expect, test, vi } from 'vitest'
import { changeConnection, mayAsk } from '../../../console/api/connection.ts'

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  changeConnection({ away: false })
})

test('while the service does not answer, the page asks by itself after 1 s at most, then twice as long each time, up to 30 s', () => {
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(1)
  const pauses = Array.from({ length: 7 }, () => {
    // Several reads fail at once: that is one try.
    for (let read = 0; read < 3; read++) changeConnection({ away: true })
    let ms = 0
    for (; !mayAsk(); ms += 500) vi.advanceTimersByTime(500)
    return ms
  })
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])

  changeConnection({ away: true })
  expect(mayAsk()).toBe(false)
  changeConnection({ away: false })
  expect(mayAsk()).toBe(true)
  changeConnection({ away: true })
  vi.advanceTimersByTime(1_000)
  expect(mayAsk()).toBe(true)
})

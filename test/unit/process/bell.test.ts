import { expect, test } from 'vitest'
import { createBell } from '../../../process/bell.ts'

const HOUR = 3_600_000

test('a ring that nobody waits for ends the next wait at once, and only that one', async () => {
  const bell = createBell()
  bell.ring()
  bell.ring()
  expect(await bell.wait(HOUR)).toBe(true)
  expect(await bell.wait(1)).toBe(false)
})

test('a ring wakes one of those who wait', async () => {
  const bell = createBell()
  const waits = [bell.wait(HOUR), bell.wait(1)]
  bell.ring()
  expect(await Promise.all(waits)).toEqual([true, false])
})

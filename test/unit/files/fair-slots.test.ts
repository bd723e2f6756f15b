import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createFairSlots } from '../../../files/fair-slots.ts'
import { NoSlot } from '../../../files/refusals.ts'

const open = (options: Partial<Parameters<typeof createFairSlots>[0]> = {}) =>
  createFairSlots({ slots: 4, waiting: 3, waitMs: 60_000, ...options })
const isSettled = (promise: Promise<unknown>) => Promise.race([promise.then(() => true), pause(1).then(() => false)])

describe('finding 2: slots that accounts share', () => {
  test('one account holds at most half, so that another gets a slot immediately', async () => {
    const slots = open()
    await slots.take('greedy')
    await slots.take('greedy')
    const third = slots.take('greedy')
    expect(await isSettled(third)).toBe(false)
    expect(await isSettled(slots.take('other'))).toBe(true)
    expect(await isSettled(third)).toBe(false)
  })

  test('a released slot goes to one waiting job, even if it is released twice', async () => {
    const slots = open({ slots: 2 })
    const first = await slots.take('a')
    const [second, third] = [slots.take('a'), slots.take('a')]
    first[Symbol.dispose]()
    first[Symbol.dispose]()
    expect([await isSettled(second), await isSettled(third)]).toEqual([true, false])
  })

  test('waiting accounts take turns, however many jobs one of them has', async () => {
    const slots = open({ slots: 2, waiting: 10 })
    const held = [await slots.take('x'), await slots.take('y')]
    const served: string[] = []
    for (const account of ['a', 'a', 'a', 'b', 'c'])
      void slots.take(account).then((slot) => {
        served.push(account)
        held.push(slot)
      })
    for (let round = 0; round < 6; round++) {
      held.shift()?.[Symbol.dispose]()
      await pause(1)
    }
    expect(served).toEqual(['a', 'b', 'c', 'a', 'a'])
  })

  test('an account with a full queue is refused immediately, but another is not', async () => {
    const slots = open({ slots: 2, waiting: 1 })
    await slots.take('a')
    void slots.take('a').catch(() => {})
    await expect(slots.take('a')).rejects.toThrow(NoSlot)
    expect(await isSettled(slots.take('b'))).toBe(true)
  })

  test('a job that waits too long is refused, and keeps no slot', async () => {
    const slots = open({ slots: 2, waiting: 1, waitMs: 5 })
    const first = await slots.take('a')
    await expect(slots.take('a')).rejects.toThrow(NoSlot)
    first[Symbol.dispose]()
    expect(await isSettled(slots.take('a'))).toBe(true)
  })
})

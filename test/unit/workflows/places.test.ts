import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { DuePoll } from '../../../db/polling/due.ts'
import { createPlaces } from '../../../workflows/activities/polling/places.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/** Due polls; each merchant has `each` of them, one after the other. */
const queueOf = (count: number, each = 1) =>
  Array.from({ length: count }, (_, place) => ({
    poll: { integrationId: `i${place}`, merchantUuid: `m${Math.floor(place / each)}` } as DuePoll,
  }))

/** Begins what may begin. @returns the integrations */
function fill(places: ReturnType<typeof createPlaces>, queue: ReturnType<typeof queueOf>): string[] {
  const begun: string[] = []
  for (let next = places.next(queue); next >= 0; next = places.next(queue)) {
    const [one] = queue.splice(next, 1)
    if (!one) throw new Error(`the queue has no place ${next}`)
    places.take(one.poll)
    begun.push(one.poll.integrationId)
  }
  return begun
}

test('sixteen polls at once, and four of one merchant', () => {
  const places = createPlaces(() => false)
  const queue = queueOf(30, 6)
  const first = ['i0', 'i1', 'i2', 'i3', 'i6', 'i7', 'i8', 'i9', 'i12', 'i13', 'i14', 'i15', 'i18', 'i19', 'i20', 'i21']
  expect(fill(places, queue)).toEqual(first)
  expect([places.size, places.open(), places.ids()]).toEqual([16, false, first])
  places.leave({ integrationId: 'i7' } as DuePoll)
  expect(places.open()).toBe(true)
  expect(fill(places, queue)).toEqual(['i10'])
})

test('a place without a poll that may take it is open', () => {
  const places = createPlaces(() => false)
  fill(places, queueOf(5, 5))
  expect([places.open(), places.next(queueOf(5, 5))]).toEqual([true, -1])
})

test('of a busy process four may have begun in the last second; the longer ones keep no place from the others', () => {
  let busy = true
  const places = createPlaces(() => busy)
  const queue = queueOf(40)
  expect(fill(places, queue)).toEqual(['i0', 'i1', 'i2', 'i3'])
  expect(places.open()).toBe(false)
  places.leave({ integrationId: 'i2' } as DuePoll)
  expect(fill(places, queue)).toEqual(['i4'])

  vi.advanceTimersByTime(1_000)
  expect(fill(places, queue)).toHaveLength(4)
  expect(fill(places, queue)).toHaveLength(0)
  vi.advanceTimersByTime(1_000)
  fill(places, queue)
  vi.advanceTimersByTime(1_000)
  fill(places, queue)
  expect(places.size).toBe(16)
  vi.advanceTimersByTime(1_000)
  expect(fill(places, queue)).toHaveLength(0)

  busy = false
  for (const integrationId of places.ids().slice(0, 10)) places.leave({ integrationId } as DuePoll)
  expect(fill(places, queue)).toHaveLength(10)
})

import { expect, test } from 'vitest'
import { createCommandsFirst } from '../../../workflows/activities/commands-first.ts'
import { reportSteps } from '../../../workflows/worker/guard.ts'

/** A clock that only `pause` moves, 1 ms at a time. It calls `during` after each. */
function withClock() {
  let ms = 0
  const clock = {
    during: (_ms: number) => {},
    now: () => ms,
    async pause(left: number) {
      for (const end = ms + left; ms < end; ) clock.during(++ms)
    },
  }
  const first = createCommandsFirst(clock)
  const waited = async () => {
    const from = ms
    await first.wait()
    return ms - from
  }
  return { clock, first, waited }
}

test('a page does not wait when there is no command', async () => {
  expect(await withClock().waited()).toBe(0)
})

test('a page waits until 150 ms after the last step of a command', async () => {
  const { clock, first, waited } = withClock()
  first.step()
  clock.during = (ms) => {
    if (ms === 60) first.step()
  }
  expect(await waited()).toBe(210)
  expect(await waited()).toBe(0)
})

test('each page waits for half a second at most, so that a backfill goes on', async () => {
  const { clock, first, waited } = withClock()
  first.step()
  clock.during = first.step
  expect([await waited(), await waited()]).toEqual([500, 500])
})

test.each([
  ['succeeds', async () => 'a result'],
  ['fails', () => Promise.reject(new Error('a defect'))],
])('a step of a command that %s is reported at its start and at its end', async (_, execute) => {
  let steps = 0
  const { inbound } = reportSteps({ step: () => void steps++ })({} as never)
  const stepsAtStart: number[] = []
  await inbound
    ?.execute?.({ args: [], headers: {} }, () => {
      stepsAtStart.push(steps)
      return execute()
    })
    .catch(() => undefined)
  expect([stepsAtStart, steps]).toEqual([[1], 2])
})

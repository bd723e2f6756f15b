import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createClock } from '../../../db/core/clock.ts'

const HOUR = 3_600_000
const RIGHT = Date.parse('2026-05-01T12:00:00Z')

/** A machine whose clock is `ahead` ms fast, and a database whose clock is right. */
function machine(ahead: number) {
  const lines: string[] = []
  const state = { ahead }
  const log = { warn: (fields: object) => void lines.push((fields as { reason: string }).reason) }
  const clock = createClock(log, () => RIGHT + state.ahead)
  return {
    clock,
    lines,
    state,
    compare: () => clock.compare({ query: async () => ({ rows: [{ at: new Date(RIGHT) }] }) }),
  }
}

describe('the clock of a process', () => {
  it.each([HOUR, -HOUR, 24 * HOUR, -24 * HOUR])(
    '%i ms off follows the database’s clock and logs the difference',
    async (ahead) => {
      const { clock, lines, compare } = machine(ahead)
      await compare()
      expect(Math.abs(clock.now().getTime() - RIGHT)).toBeLessThan(500)
      expect(Math.round(clock.ahead() ?? 0)).toBe(ahead / 1_000)
      expect(clock.problem()).toMatch(ahead > 0 ? /s ahead of the database's/ : /s behind the database's/)
      await compare()
      expect(lines).toHaveLength(1)
    },
  )

  it('uses its own time while the two differ by less than a second, and before the first comparison', async () => {
    const { clock, lines, compare } = machine(400)
    expect(clock.ahead()).toBeNull()
    expect(clock.now().getTime()).toBe(RIGHT + 400)
    await compare()
    expect(clock.now().getTime()).toBe(RIGHT + 400)
    expect(clock.problem()).toBeNull()
    expect(lines).toEqual([])
  })

  it('does not take a slow response for a wrong clock', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { clock, lines } = machine(0)
    const late = { rows: [{ at: new Date(RIGHT + 2_900) }] }
    const compared = clock.compare({ query: () => new Promise((respond) => setTimeout(() => respond(late), 3_000)) })
    await vi.advanceTimersByTimeAsync(3_000)
    await compared
    expect(clock.problem()).toBeNull()
    expect(lines).toEqual([])
  })

  it('logs when it is right again', async () => {
    const { clock, lines, state, compare } = machine(HOUR)
    await compare()
    state.ahead = 0
    await compare()
    expect(clock.problem()).toBeNull()
    expect(lines.at(-1)).toBe('none any more')
  })

  it('keeps the last difference while the database does not respond', async () => {
    const { clock, compare } = machine(HOUR)
    await compare()
    await expect(clock.compare({ query: () => Promise.reject(new Error('gone')) })).rejects.toThrow('gone')
    expect(clock.ahead()).toBeCloseTo(3_600, 0)
  })
})

import { describe, expect, test } from 'vitest'
import { percentAnHour } from '../../faults/soak/memory-slope.ts'
import { brokenSoFar } from '../../faults/soak/so-far.ts'

const HOUR = 3_600_000
/** An hour of samples, one every 5 s. */
const hour = (megabytes: (share: number) => number) =>
  Array.from({ length: 721 }, (_, index) => ({ at: index * 5_000, megabytes: megabytes((index * 5_000) / HOUR) }))

describe('memory', () => {
  test('growth by a tenth in an hour is about ten percent an hour', () => {
    expect(percentAnHour(hour((share) => 200 + 20 * share))).toBeCloseTo(9.4, 0)
  })

  test('memory that is loaded in the first quarter is not growth, and neither is garbage that is collected', () => {
    const noise = [0, 40, 13, 27]
    expect(percentAnHour(hour((share) => (share < 0.2 ? 100 : 200)))).toBe(0)
    expect(percentAnHour(hour((share) => 200 + (noise[Math.round(share * 720) % 4] ?? 0)))).toBe(0)
  })

  test('one sample is not growth', () => {
    expect(percentAnHour([{ at: 0, megabytes: 100 }])).toBe(0)
  })
})

describe('invariants during a soak', () => {
  const request = new Map([['dp_1', 'acceptance'] as const, ['dp_2', 'submission'] as const])
  const effect = (ref: string | null, kind: 'acceptance' | 'submission' | 'upload') => ({ ref, kind })

  test('hold with one effect per command, next to uploads and effects on other disputes', () => {
    const effects = [
      effect('dp_1', 'acceptance'),
      effect('dp_2', 'submission'),
      effect(null, 'upload'),
      effect('dp_9', 'acceptance'),
      effect('dp_9', 'acceptance'),
    ]
    expect(brokenSoFar(request, effects, new Map([['c', ['created', 'inProgress', 'succeeded']]]))).toEqual([])
  })

  test.each([
    ['I2', [effect('dp_1', 'acceptance'), effect('dp_1', 'acceptance')], []],
    ['I5', [effect('dp_2', 'acceptance')], []],
    ['I4', [], ['created', 'succeeded', 'inProgress']],
    ['I4', [], ['failed', 'succeeded', 'failed']],
  ])('%s is broken', (invariant, effects, states) => {
    expect(brokenSoFar(request, effects, new Map([['c', states]]))).toEqual([expect.stringContaining(invariant)])
  })
})

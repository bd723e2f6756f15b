import { describe, expect, test } from 'vitest'
import { inUnits, medianDays, sumOfAmounts, winRate } from '../../../../domain/analytics/outcomes.ts'

describe('winRate', () => {
  test.each([
    [{ won: 0n, lost: 0n, split: 0n }, undefined],
    [{ won: 1n, lost: 0n, split: 0n }, 1],
    [{ won: 0n, lost: 3n, split: 0n }, 0],
    [{ won: 1n, lost: 2n, split: 0n }, 0.3333],
    [{ won: 2n, lost: 1n, split: 0n }, 0.6667],
    [{ won: 0n, lost: 0n, split: 7n }, 0.5],
    [{ won: 1n, lost: 1n, split: 2n }, 0.5],
    [{ won: 10n ** 30n, lost: 0n, split: 0n }, 1],
  ])('%o is %s', (outcomes, rate) => {
    expect(winRate(outcomes)).toBe(rate)
  })
})

describe('medianDays', () => {
  const median = (...days: number[]) => medianDays(days.map((one) => ({ days: one, count: 1n })))
  test('is absent without any', () => {
    expect(median()).toBeUndefined()
  })
  test('is the middle one, and the lower of two', () => {
    expect(median(3, 1, 2)).toBe(2)
    expect(median(1, 2, 3, 4)).toBe(2)
    expect(
      medianDays([
        { days: 1, count: 1n },
        { days: 9, count: 5n },
      ]),
    ).toBe(9)
  })
  test('from 14 days on it is the middle of seven', () => {
    expect(median(13)).toBe(13)
    expect(median(14)).toBe(17)
    expect(median(70)).toBe(73)
  })
})

test('amounts of one currency add up whatever their exponents', () => {
  const sum = sumOfAmounts([
    { minor: 1099n, exponent: 2 },
    { minor: 1n, exponent: 0 },
    { minor: 5n, exponent: 3 },
  ])
  expect(inUnits(sum)).toBe(11.995)
})

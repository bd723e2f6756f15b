import { describe, expect, test } from 'vitest'
import { chooseMode } from '../../../domain/polling-mode.ts'

const at = (perSecond: number, dispatched: boolean) =>
  chooseMode('auto', { count: perSecond * 300, dispatched, intervalSeconds: 300 })

describe('the polling mode', () => {
  test('is what the operator has set, whatever the rate', () => {
    expect(chooseMode('schedules', { count: 100_000, dispatched: true, intervalSeconds: 1 })).toBe('schedules')
    expect(chooseMode('dispatch', { count: 0, dispatched: false, intervalSeconds: 300 })).toBe('dispatch')
  })

  test.each([
    [21, false, 'dispatch'],
    [20, false, 'schedules'],
    [20, true, 'dispatch'],
    [15, true, 'dispatch'],
    [15, false, 'schedules'],
    [14, true, 'schedules'],
  ])('at %i polls a second, dispatched before: %s, is %s', (perSecond, dispatched, mode) => {
    expect(at(perSecond, dispatched)).toBe(mode)
  })
})

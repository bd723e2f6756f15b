import { describe, expect, test } from 'vitest'
import { ALERT_OUTCOMES, type AlertReport, compareReports, isInterim } from '../../../domain/alert.ts'

const report = (changes: Partial<AlertReport> = {}): AlertReport => ({
  refunded: null,
  outcome: 'resolved',
  comments: null,
  ...changes,
})

describe('a report of an alert', () => {
  test('is the first if there is none', () => {
    expect(compareReports(null, report())).toBe('first')
  })

  test('is the same only if all three parts are', () => {
    expect(compareReports(report(), report())).toBe('same')
    for (const change of [{ outcome: 'missed' }, { refunded: 'refunded' }, { comments: 'x' }] as const)
      expect(compareReports(report(), report(change))).toBe('conflict')
  })

  test('replaces an interim one, whatever else the interim one says', () => {
    for (const outcome of ['in_progress', 'shipper_contacted'] as const) {
      const interim = report({ outcome, refunded: 'not settled' })
      expect(compareReports(interim, report())).toBe('replaces')
      expect(compareReports(interim, interim)).toBe('same')
    }
  })

  test('is interim for two outcomes only, and never without an outcome', () => {
    expect(ALERT_OUTCOMES.filter((outcome) => isInterim({ outcome }))).toEqual(['in_progress', 'shipper_contacted'])
    expect(isInterim({ outcome: null })).toBe(false)
  })
})

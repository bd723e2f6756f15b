import { expect, test } from 'vitest'
import { lastMonths } from '../../../api/routes/analytics/ratio-shape.ts'

const now = new Date('2026-03-10T00:00:00Z')

// The first month is the one before what the response has.
test.each([
  [{}, '2025-03', '2026-03'],
  [{ startMonth: '2026-02' }, '2026-01', '2026-03'],
  [{ endMonth: '2025-01' }, '2024-01', '2025-01'],
  [{ startMonth: '2027-01' }, '2026-12', '2027-01'],
  [{ startMonth: '2023-04', endMonth: '2026-03' }, '2023-03', '2026-03'],
])('%o reads from %s to %s', (given, first, last) => {
  expect(lastMonths(given, now)).toEqual({ first, last })
})

test('more than 36 months are refused', () => {
  expect(() => lastMonths({ startMonth: '2023-03' }, now)).toThrow(/^startMonth: .*36 months/)
})

import { describe, expect, it } from 'vitest'
import {
  AUTOMATIC_DEFAULTS,
  automaticPolicy,
  automaticTimes,
  faultOfPolicy,
} from '../../../../domain/evidence/package/automatic-policy.ts'

const HOUR_MS = 3_600_000
const dueDate = new Date('2026-03-10T00:00:00Z')
const auto = automaticPolicy({ mode: 'auto' })
const hoursBefore = (id: string, psp = 'stripe') => {
  const times = automaticTimes({ id, psp, dueDate }, auto)
  return times && [times.submittedAt, times.toldAt].map((at) => (dueDate.getTime() - at.getTime()) / HOUR_MS)
}

describe('the automatic policy', () => {
  it("is manual by default, and a merchant's settings go before its account's", () => {
    expect(automaticPolicy(undefined)).toEqual(AUTOMATIC_DEFAULTS)
    expect(automaticPolicy({ mode: 'auto', minCompleteness: 0.9 }, { minCompleteness: 0.5 })).toMatchObject({
      ...{ mode: 'auto', minCompleteness: 0.5, hoursBeforeDue: 48 },
    })
    expect(automaticPolicy({ mode: 'auto' }, { mode: 'manual' }).mode).toBe('manual')
  })

  it('counts as manual if anything of it can not be read', () => {
    for (const own of [{ mode: 'auto', hoursBeforeDue: 3 }, { mode: 'auto', more: 1 }, 'auto', [], 7])
      expect(automaticPolicy(own)).toEqual(AUTOMATIC_DEFAULTS)
    expect(automaticPolicy({ mode: 'auto' }, { plays: ['theft'] })).toEqual(AUTOMATIC_DEFAULTS)
  })

  it('submits 48 to 50 hours before the due date, by the id, and tells a day before', () => {
    expect(hoursBefore('0198c5a4-6c1e-7d60-9a55-2f4b00000000')).toEqual([48, 72])
    expect(hoursBefore('0198c5a4-6c1e-7d60-9a55-2f4b80000000')).toEqual([49, 73])
    expect(hoursBefore('0198c5a4-6c1e-7d60-9a55-2f4b00000000', 'braintree')).toEqual([84, 108])
    expect(automaticTimes({ id: '0198c5a4', psp: 'stripe', dueDate: null }, auto)).toBeNull()
  })

  it('needs six hours after the end of the data window', () => {
    expect(faultOfPolicy({ ...auto, hoursBeforeDue: 66 }, 72)).toBeNull()
    expect(faultOfPolicy({ ...auto, hoursBeforeDue: 67 }, 72)).toContain('66 at most')
    expect(faultOfPolicy({ ...AUTOMATIC_DEFAULTS, hoursBeforeDue: 200 }, 72)).toBeNull()
  })
})

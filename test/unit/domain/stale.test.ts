import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PSP_STATUSES } from '../../../domain/chargeback.ts'
import { staleAt } from '../../../domain/stale.ts'

const DAY = 86_400_000
const due = new Date('2027-03-01T12:00:00Z')
const daysOn = (days: number) => new Date(due.getTime() + days * DAY)

describe('when a dispute that can not be read is stale', () => {
  it.each([
    ['needs_response', 7],
    ['unknown', 7],
    ['under_review', 90],
  ])('a %s one %i days after its due date', (pspStatus, days) => {
    expect(staleAt({ pspStatus, changedAt: daysOn(-20), dueDate: due })).toEqual(daysOn(days))
  })

  it('later if the PSP reported a change after the due date', () => {
    expect(staleAt({ pspStatus: 'under_review', changedAt: daysOn(30), dueDate: due })).toEqual(daysOn(120))
  })

  it('without a due date only after a response', () => {
    expect(staleAt({ pspStatus: 'under_review', changedAt: due, dueDate: null })).toEqual(daysOn(90))
    expect(staleAt({ pspStatus: 'under_review', changedAt: null, dueDate: null })).toBeNull()
    expect(staleAt({ pspStatus: 'needs_response', changedAt: due, dueDate: null })).toBeNull()
  })

  it('never when it is decided', () => {
    const decided = PSP_STATUSES.filter((status) => !['needs_response', 'unknown', 'under_review'].includes(status))
    fc.assert(
      fc.property(fc.constantFrom(...decided), fc.date({ noInvalidDate: true }), (pspStatus, dueDate) => {
        expect(staleAt({ pspStatus, changedAt: null, dueDate })).toBeNull()
      }),
    )
  })
})

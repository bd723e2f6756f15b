import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PSP_STATUSES } from '../../../domain/chargeback.ts'
import { type ReadDispute, rereadAfter } from '../../../domain/reread.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const now = new Date('2027-03-01T12:00:00Z')
const ago = (ms: number) => new Date(now.getTime() - ms)
const ahead = (ms: number) => new Date(now.getTime() + ms)
const open: ReadDispute = { pspStatus: 'needs_response', postingDate: null, changedAt: null, dueDate: null }

/** Hours from now to the next reading. */
const pause = (dispute: Partial<ReadDispute>) => {
  const next = rereadAfter({ ...open, ...dispute }, now)
  return next === null ? null : (next.getTime() - now.getTime()) / HOUR
}

describe('when a dispute is read again', () => {
  it.each([
    [0, 1],
    [6 * HOUR, 1],
    [2 * DAY, 2],
    [24 * DAY, 24],
    [168 * DAY, 168],
    [900 * DAY, 168],
  ])('an open one that changed %i ms ago: after %i hours', (age, hours) => {
    expect(pause({ changedAt: ago(age) })).toBe(hours)
    expect(pause({ postingDate: ago(age), pspStatus: 'under_review' })).toBe(hours)
  })

  it.each([
    [20 * DAY, 24],
    [2 * DAY, 12],
    [4 * HOUR, 1],
    [HOUR, 0.25],
    [1, 0.25],
  ])('with %i ms to its due date: after %d hours', (left, hours) => {
    expect(pause({ changedAt: ago(24 * DAY), dueDate: ahead(left) })).toBe(hours)
  })

  it('a due date that has passed does not shorten the interval', () => {
    expect(pause({ changedAt: ago(24 * DAY), dueDate: ago(HOUR) })).toBe(24)
  })

  it.each(['won', 'lost', 'split', 'not_applicable', 'evidence_not_submitted_by_psp'])(
    'a %s one: weekly',
    (pspStatus) => {
      expect(pause({ pspStatus, changedAt: ago(DAY) })).toBe(168)
      expect(pause({ pspStatus, changedAt: ago(173 * DAY) })).toBe(168)
    },
  )

  it('a decided one: never again, once 180 days have passed since its last change', () => {
    expect(pause({ pspStatus: 'lost', changedAt: ago(174 * DAY) })).toBeNull()
  })

  it('is always between 15 minutes and a week from now, and always set for an open one', () => {
    const dates = fc.option(fc.date({ min: ago(2_000 * DAY), max: ahead(400 * DAY), noInvalidDate: true }))
    fc.assert(
      fc.property(
        fc.constantFrom(...PSP_STATUSES),
        dates,
        dates,
        dates,
        (pspStatus, changedAt, postingDate, dueDate) => {
          const hours = pause({ pspStatus, changedAt, postingDate, dueDate })
          if (['needs_response', 'under_review', 'unknown'].includes(pspStatus)) expect(hours).not.toBeNull()
          if (hours !== null) expect(hours >= 0.25 && hours <= 168).toBe(true)
        },
      ),
    )
  })
})

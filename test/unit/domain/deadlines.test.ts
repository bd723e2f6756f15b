import { describe, expect, test } from 'vitest'
import {
  DATA_WINDOW_HOURS,
  dataWindowClosed,
  dueDateOf,
  isOverdue,
  latestReadingHours,
} from '../../../domain/deadlines.ts'
import { decideChargeback } from '../../../domain/decision.ts'

const posted = new Date('2026-03-01T10:00:00Z')
const due = new Date('2026-03-20T00:00:00Z')
const hoursAhead = (hours: number) => new Date(due.getTime() - hours * 3_600_000)
const open = { dueDate: null, postingDate: posted, answerable: true } as const

describe('due date', () => {
  test.each([
    ['visa', '2026-03-31T10:00:00.000Z'],
    ['mastercard', '2026-04-15T10:00:00.000Z'],
    ['amex', '2026-03-21T10:00:00.000Z'],
    ['discover', '2026-03-31T10:00:00.000Z'],
    ['diners', '2026-03-31T10:00:00.000Z'],
  ] as const)('%s counts its days from posting', (cardScheme, expected) => {
    expect(dueDateOf({ ...open, cardScheme })?.toISOString()).toBe(expected)
  })

  test('the PSP’s due date takes precedence, also if no response is possible', () => {
    expect(dueDateOf({ ...open, dueDate: due, cardScheme: 'visa' })).toBe(due)
    expect(dueDateOf({ ...open, dueDate: due, cardScheme: 'visa', answerable: false })).toBe(due)
  })

  test.each([
    ['no response is possible', { cardScheme: 'visa', answerable: false }],
    ['the posting date is unknown', { cardScheme: 'visa', postingDate: null }],
    ['the scheme is unknown', { cardScheme: null }],
    ['the scheme has no agreed days', { cardScheme: 'jcb' }],
  ] as const)('there is none when %s', (_, change) => {
    expect(dueDateOf({ ...open, ...change })).toBeNull()
  })
})

describe('time to collect data', () => {
  test('ends 72 hours before the due date', () => {
    expect(DATA_WINDOW_HOURS).toBe(72)
    expect(dataWindowClosed(due, hoursAhead(72.001))).toBe(false)
    expect(dataWindowClosed(due, hoursAhead(72))).toBe(true)
  })

  test('ends as many hours before the due date as the account has set', () => {
    expect(dataWindowClosed(due, hoursAhead(24.001), 24)).toBe(false)
    expect(dataWindowClosed(due, hoursAhead(24), 24)).toBe(true)
  })

  test('never ends while the due date is unknown', () => {
    expect(dataWindowClosed(null, hoursAhead(-9999))).toBe(false)
  })
})

describe('a due date that is the end of a day without a time zone (Braintree)', () => {
  // Reply-by 2026-03-20: due when that day is over at UTC-12.
  const end = new Date('2026-03-21T12:00:00Z')
  const first = new Date('2026-03-20T00:00:00Z')
  const terms = {
    ...{ goLiveDate: null, goLiveWaits: false, scope: null, settings: {} },
    ...{ integrationDeactivation: null, merchantDeactivation: null },
  }
  const subject = {
    ...({
      pspStatus: 'needs_response',
      lifecycleStage: 'chargeback',
      reasonGroup: 'fraud',
      cardScheme: 'visa',
    } as const),
    ...{ postingDate: posted, dueDate: end, reasonCode: '10.4', paymentMethod: 'card' as const, currency: 'USD' },
    ...{ amountMinor: 100n, amountExponent: 2, present: [] },
  }
  const statusAt = (psp: string, hoursBefore: number) =>
    decideChargeback(terms, { ...subject, psp }, null, new Date(first.getTime() - hoursBefore * 3_600_000)).status

  test('data windows count from 00:00 UTC of that day', () => {
    expect([latestReadingHours('braintree'), latestReadingHours('stripe')]).toEqual([36, 0])
    expect(statusAt('braintree', 72.001)).toBe('waiting_for_data')
    expect(statusAt('braintree', 72)).toBe('building_evidence')
    expect(statusAt('stripe', 72)).toBe('waiting_for_data')
  })

  test('it is overdue when the day is over, and not earlier', () => {
    expect(statusAt('braintree', -35.999)).toBe('building_evidence')
    expect(statusAt('braintree', -36)).toBe('not_represented')
  })
})

describe('overdue', () => {
  test('from the instant of the due date', () => {
    expect(isOverdue(due, hoursAhead(0.001))).toBe(false)
    expect(isOverdue(due, due)).toBe(true)
  })

  test('not while the due date is unknown', () => {
    expect(isOverdue(null, due)).toBe(false)
  })
})

import { expect, test } from 'vitest'
import {
  byMonth,
  byReason,
  lastMonths,
  mainCurrency,
  monthRange,
  weekRange,
} from '../../../console/overview/figures.ts'

test('the last months, over the end of a year', () => {
  expect(lastMonths('2026-02-17T10:00:00Z', 4)).toEqual(['2025-11', '2025-12', '2026-01', '2026-02'])
})

test('a month and a week end with their last millisecond', () => {
  expect(monthRange('2028-02')).toEqual({ startDate: '2028-02-01T00:00:00.000Z', endDate: '2028-02-29T23:59:59.999Z' })
  expect(monthRange('2026-12').endDate).toBe('2026-12-31T23:59:59.999Z')
  expect(weekRange('2026-12-28')).toEqual({
    dueAfter: '2026-12-28T00:00:00.000Z',
    dueBefore: '2027-01-03T23:59:59.999Z',
  })
})

const counts = { chargebacks: 3, open: 0, won: 2, lost: 1, split: 0 }
const amounts = (currency: string, wonAmount: number) => ({
  ...{ currency, wonAmount, amount: 9, openAmount: 4, lostAmount: 5, splitAmount: 0 },
})

test('a month has the amounts of one currency, and zeros without chargebacks', () => {
  const groups = [{ ...counts, month: '2026-01', amounts: [amounts('USD', 1), amounts('EUR', 7)] }]
  expect(byMonth(groups, ['2025-12', '2026-01'], 'EUR').map(({ month, wonAmount }) => [month, wonAmount])).toEqual([
    ['2025-12', 0],
    ['2026-01', 7],
  ])
})

test('reasons begin with the one that was decided most often', () => {
  const groups = [
    { ...counts, reasonGroup: 'general', won: 0, lost: 0, amounts: [] },
    { ...counts, reasonGroup: 'fraud', split: 4, winRate: 0.5, amounts: [] },
    { ...counts, reasonGroup: 'compliance', amounts: [] },
  ]
  expect(byReason(groups).map(({ reasonGroup, decided, rate }) => [reasonGroup, decided, rate])).toEqual([
    ['fraud', 7, 0.5],
    ['compliance', 3, undefined],
    ['general', 0, undefined],
  ])
})

test('the currency that is shown first has the most chargebacks', () => {
  expect(
    mainCurrency(
      new Map([
        ['USD', 2],
        ['EUR', 9],
        ['GBP', 9],
      ]),
    ),
  ).toBe('EUR')
  expect(mainCurrency(new Map())).toBeUndefined()
})

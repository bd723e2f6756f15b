import { describe, expect, test } from 'vitest'
import {
  onUndone,
  placeOf,
  rememberOrder,
  rememberOutcome,
  rememberUndone,
  undoneOf,
} from '../../../console/app/order.ts'
import { eachOf } from '../../../console/queue/each-of.ts'
import { grouped, type Item } from '../../../console/queue/groups.ts'
import {
  chosenWords,
  isOpenView,
  listQuery,
  summaryQuery,
  VIEWS,
  viewQuery,
  withFilters,
  withView,
} from '../../../console/queue/view.ts'

const NOW = Date.parse('2026-11-24T12:00:00Z')
const inHours = (hours: number) => new Date(NOW + hours * 3_600_000).toISOString()
const asked = (address: string) => listQuery(new URLSearchParams(address), NOW)

describe('the address is the view', () => {
  test('without filters it is the first view, whatever the merchant', () => {
    expect(viewQuery(new URLSearchParams('m=shop'))).toBe('due=7')
    expect(asked('m=shop')).toEqual({
      pspStatus: 'needs_response',
      dueBefore: '2026-12-01T12:00:00.000Z',
      sort: 'dueDate',
    })
    expect(asked('sort=-dueDate')).toMatchObject({ dueBefore: '2026-12-01T12:00:00.000Z', sort: '-dueDate' })
  })

  test.each([
    ['', { due: '' }, '?pspStatus=needs_response'],
    ['m=shop&psp=adyen', { psp: '' }, '?m=shop&pspStatus=needs_response'],
    ['sort=-amount', { due: '' }, '?sort=-amount&pspStatus=needs_response'],
    ['psp=adyen&due=7', { psp: '' }, '?due=7'],
  ])('the last filter taken from “%s” leaves all open ones, not the first view', (address, change, left) => {
    expect(withFilters(new URLSearchParams(address), change)).toBe(left)
  })

  test.each([
    ['due=7', ['needs_response']],
    ['pspStatus=won,lost', ['won', 'lost']],
    ['pspStatus=any', []],
  ])('ticked in the menu of “%s” is what the list has: %j', (view, words) => {
    expect(chosenWords(new URLSearchParams(view), 'pspStatus')).toEqual(words)
    expect(chosenWords(new URLSearchParams(view), 'status')).toEqual([])
  })

  test('“decided this month” is of the hour that has begun', () => {
    const atHour = (time: string) => listQuery(new URLSearchParams('decided=month'), Date.parse(time))
    expect(atHour('2026-12-01T00:00:00Z').pspStatusChangeStartDate).toBe('2026-11-01T00:00:00Z')
    expect(atHour('2026-12-01T01:00:00Z').pspStatusChangeStartDate).toBe('2026-12-01T00:00:00Z')
  })

  test.each([
    ['psp=paypal', { psp: 'paypal', pspStatus: 'needs_response', sort: 'dueDate' }],
    ['pspStatus=any', { sort: '-postingDate' }],
    ['pspStatus=any&search=4242', { search: '4242', sort: '-postingDate' }],
    ['inScope=false', { inScope: 'false', pspStatus: 'needs_response', sort: 'dueDate' }],
    [
      'pspStatus=won,lost,split&decided=month',
      { pspStatus: 'won,lost,split', pspStatusChangeStartDate: '2026-11-01T00:00:00Z', sort: '-postingDate' },
    ],
    // What the API doesn't know is not asked for; what it refuses, it says so itself.
    ['utm_source=mail&due=x&psp=nonsense', { psp: 'nonsense', pspStatus: 'needs_response', sort: 'dueDate' }],
    ['due=-4&psp=adyen', { psp: 'adyen', pspStatus: 'needs_response', sort: 'dueDate' }],
  ])('%s', (address, query) => {
    expect(asked(address)).toEqual(query)
  })

  test('views differ, and each is found again from its address', () => {
    const queries = VIEWS.map(({ query }) =>
      viewQuery(new URLSearchParams(withView(new URLSearchParams('m=shop'), query))),
    )
    expect(queries).toEqual(VIEWS.map(({ query }) => query))
    expect(new Set(queries).size).toBe(VIEWS.length)
  })

  test('the order of parameters makes no other view', () => {
    expect(viewQuery(new URLSearchParams('sort=dueDate&psp=stripe&m=x'))).toBe(
      viewQuery(new URLSearchParams('psp=stripe&sort=dueDate')),
    )
  })

  test('a filter is added to the view that is shown', () => {
    expect(withFilters(new URLSearchParams('m=shop'), { psp: 'stripe' })).toBe('?due=7&m=shop&psp=stripe')
    expect(withFilters(new URLSearchParams('psp=stripe&due=7'), { psp: '' })).toBe('?due=7')
  })

  test('sums are asked for where the API has them for the same rows', () => {
    expect(summaryQuery(asked('pspStatus=needs_response&psp=adyen'))).toEqual({
      pspStatus: 'needs_response',
      psp: 'adyen',
    })
    for (const address of ['', 'search=x', 'inScope=true', 'currency=EUR&minAmount=1', 'recommendation=Fight'])
      expect(summaryQuery(asked(address)), address).toBeNull()
  })

  test('only a list of those that need a response is grouped by days left', () => {
    expect([
      isOpenView(asked('')),
      isOpenView(asked('pspStatus=any')),
      isOpenView(asked('pspStatus=needs_response,won')),
    ]).toEqual([true, false, false])
  })
})

test('groups keep the order of the list; the last one is of loaded rows while more follow', () => {
  const item = (id: string, dueDate?: string) => ({ id, ...(dueDate && { dueDate }) }) as Item
  const items = [
    item('over', inHours(-1)),
    item('a', inHours(5)),
    item('b', inHours(5)),
    item('later', inHours(500)),
    item('none'),
  ]
  const of = (hasMore: boolean) =>
    grouped(items, NOW, hasMore).map(({ name, items: all, isOpenEnded }) => [
      name,
      all.map(({ id }) => id).join(),
      isOpenEnded,
    ])
  expect(of(false)).toEqual([
    ['Overdue', 'over', false],
    ['Within 24 hours', 'a,b', false],
    ['Later', 'later', false],
    ['No due date', 'none', false],
  ])
  expect(of(true).map(([, , isOpenEnded]) => isOpenEnded)).toEqual([false, false, false, true])
})

test('an act on many runs four at a time, and a failure stops none of the others', async () => {
  let running = 0
  let most = 0
  const outcomes = await eachOf([1, 2, 3, 4, 5, 6, 7, 8, 9], async (n) => {
    running++
    most = Math.max(most, running)
    await new Promise(setImmediate)
    running--
    if (n % 4 === 0) throw new Error(`not ${n}`)
  })
  expect(most).toBe(4)
  expect(outcomes.map(({ of }) => of)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(outcomes.flatMap(({ failure }) => failure?.message ?? [])).toEqual(['not 4', 'not 8'])
})

test('the last one that is loaded is not called the last of the list', () => {
  rememberOrder({ ids: ['a', 'b'], hasMore: true, back: '' })
  expect(placeOf('b')).toEqual({ index: 1, of: 'more than 2', before: 'a' })
  rememberOrder({ ids: ['a', 'b'], back: '' })
  expect(placeOf('a')).toEqual({ index: 0, of: '2', after: 'b' })
})

test('a review remembers what failed, of its merchant and its chargebacks alone, until it is done', () => {
  const item = (id: string) => ({ id, psp: 'stripe' }) as Item
  const undone = (merchant: string) => undoneOf(merchant).map((one) => `${one.item.id}: ${one.why}`)
  rememberOrder({ ids: ['a', 'b'], back: '' })
  rememberOutcome('shop', item('a'), 'of a list')
  expect(undone('shop')).toEqual([])
  rememberOrder({ ids: ['a', 'b'], isReview: true, back: '' })
  for (const [id, why] of [
    ['a', 'refused'],
    ['b', 'refused'],
    ['a', 'refused again'],
    ['c', 'not selected'],
  ] as const)
    rememberOutcome('shop', item(id), why)
  expect(undone('shop')).toEqual(['b: refused', 'a: refused again'])
  expect(undone('other')).toEqual([])
  rememberOutcome('shop', item('b'))
  expect(undone('shop')).toEqual(['a: refused again'])
})

test('what fails after the person has left the review is remembered, and the list that is shown hears of it', () => {
  let heard = 0
  const leave = onUndone(() => heard++)
  rememberOrder({ ids: ['left'], isReview: true, back: '' })
  rememberOrder({ ids: ['left'], back: '' })
  rememberOutcome('north', { id: 'left', psp: 'stripe' }, 'refused')
  rememberUndone('south', [])
  expect(undoneOf('north')).toMatchObject([{ why: 'refused' }])
  expect(heard).toBe(2)
  leave()
})

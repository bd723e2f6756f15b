import { describe, expect, test } from 'vitest'
import { openScan } from '../../../../adapters/braintree/cursor.ts'
import { criteriaOf } from '../../../../adapters/braintree/windows.ts'
import { type Anything, connectTo, INITIAL, sendXml, simulated, startServer } from './connect.ts'
import { pageOf, poll } from './polling.ts'

/** A server with `pages` in turn for the query by received_date, and no rows for other queries. */
function paged(pages: ((search: Anything, page: number) => string)[]) {
  const requests: { search: Anything; page: number }[] = []
  const server = startServer((request, response, body) => {
    const { search } = JSON.parse(body)
    const page = Number(new URL(request.url ?? '', 'http://x').searchParams.get('page'))
    const main = search.received_date?.min !== undefined
    if (main) requests.push({ search, page })
    sendXml(response, 200, main ? (pages[requests.length - 1]?.(search, page) ?? pageOf([], 0)) : pageOf([], 0))
  })
  return { server, requests }
}

const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => `d${from + i}`)

describe('pages of a list', () => {
  test.each([
    [0, []],
    [1, ['d1']],
    [2, ['d1', 'd2']],
  ])('%i rows give a list of that length', async (total, expected) => {
    const { server } = paged([() => pageOf(expected, total)])
    await using braintree = await server
    expect((await poll(connectTo(braintree.url))).returned).toEqual(expected)
  })

  test('the window of a short page is read again, once, and no item is undefined', async () => {
    const short = () => pageOf(ids(1, 3), 5, 5)
    const { server, requests } = paged([short, () => pageOf(ids(1, 5), 5, 5)])
    await using braintree = await server
    expect(new Set((await poll(connectTo(braintree.url))).returned)).toEqual(new Set(ids(1, 5)))
    expect(requests.map(({ page }) => page)).toEqual([1, 1])
  })

  test('a window that stays short is read twice at most', async () => {
    const short = () => pageOf(ids(1, 3), 5, 5)
    const { server, requests } = paged([short, short, short])
    await using braintree = await server
    expect(new Set((await poll(connectTo(braintree.url))).returned)).toEqual(new Set(ids(1, 3)))
    expect(requests).toHaveLength(2)
  })

  test('after an empty page in the middle reading continues, and the window is read again', async () => {
    await using braintree = await simulated()
    const created = await braintree.create({ count: 120, ageDays: 5 })
    await braintree.control('POST', '/faults', { kind: 'empty_page', count: 1 })
    expect(new Set((await poll(braintree.adapter)).returned)).toEqual(new Set(created))
  })

  test('a list that never ends is unavailable', async () => {
    await using braintree = await simulated()
    await braintree.create({ count: 10 })
    await braintree.control('POST', '/faults', { kind: 'endless_pages', count: 100_000 })
    await expect(poll(braintree.adapter)).rejects.toMatchObject({ kind: 'unavailable' })
  })

  test('a list that shifts between two pages is read again', async () => {
    const { server } = paged([
      () => pageOf(ids(1, 5), 8, 5),
      // d1 was removed, so d6 moved to the first page.
      () => pageOf(ids(7, 8), 7, 5),
      () => pageOf(ids(2, 6), 7, 5),
      () => pageOf(ids(7, 8), 7, 5),
    ])
    await using braintree = await server
    expect(new Set((await poll(connectTo(braintree.url))).returned)).toEqual(new Set(ids(1, 8)))
  })

  test('a shift that keeps the total, because one was added and one removed, is detected by the ids', async () => {
    const { server, requests } = paged([
      () => pageOf(ids(1, 5), 8, 5),
      // A new one moved d5 to the second page, and d8 was removed.
      () => pageOf(ids(5, 7), 8, 5),
      () => pageOf(['new', ...ids(1, 4)], 8, 5),
      () => pageOf(ids(5, 7), 8, 5),
    ])
    await using braintree = await server
    expect((await poll(connectTo(braintree.url))).returned).toContain('new')
    expect(requests).toHaveLength(4)
  })
})

describe('the queries of a poll', () => {
  const polled = {
    polledOn: '2026-03-14',
    sweptOn: '2026-03-10',
    undecided: { on: '2026-03-14', few: true },
    scan: null,
  }

  test('select disputes received or changed in the seven days before the last poll, and older undecided ones', () => {
    const { windows } = openScan(polled, '2026-03-14')
    expect(windows.map((window) => criteriaOf(window, []))).toEqual([
      { received_date: { min: '03/07/2026', max: '03/14/2026' } },
      { effective_date: { min: '03/07/2026', max: '03/14/2026' }, received_date: { max: '03/06/2026' } },
      { status: ['open', 'under_review', 'disputed'], received_date: { max: '03/06/2026' } },
    ])
  })

  test('count from the day on which the poll started, also if it ends after midnight', async () => {
    await using braintree = await startServer((_, response, body) => {
      const all = JSON.parse(body).search.received_date?.min !== undefined
      sendXml(response, 200, all ? pageOf(ids(1, 50), 50) : pageOf([], 0))
    })
    const at = (time: string) => connectTo(braintree.url, { now: () => new Date(time) })
    const first = await at('2026-03-14T23:59:00Z').listDisputes({ cursor: INITIAL, oldestOpen: null })
    expect([first.hasMore, first.cursor.polledOn]).toEqual([true, null])
    const second = await at('2026-03-15T00:01:00Z').listDisputes({ cursor: first.cursor, oldestOpen: null })
    expect([second.hasMore, second.cursor.polledOn]).toEqual([false, '2026-03-14'])
  })

  test('select undecided disputes only once a day if there are many', () => {
    const many = { ...polled, undecided: { on: '2026-03-14', few: false } }
    expect(openScan(many, '2026-03-14').windows).toHaveLength(2)
    expect(openScan(many, '2026-03-15').windows).toHaveLength(3)
  })

  test('select half a year on the first load and once a week', () => {
    expect(openScan(INITIAL, '2026-07-01').windows[0]?.from).toBe('2026-01-02')
    expect(openScan(polled, '2026-03-17').windows[0]?.from).toBe('2025-09-18')
  })

  test('are all limited by merchantAccountCodes', async () => {
    const searches: Anything[] = []
    await using braintree = await startServer((_, response, body) => {
      searches.push(JSON.parse(body).search)
      sendXml(response, 200, pageOf([], 0))
    })
    await poll(connectTo(braintree.url, { merchantAccountCodes: ['ma_usd', 'ma_eur'] }))
    expect(searches).toHaveLength(3)
    for (const search of searches) expect(search.merchant_account_id).toEqual(['ma_usd', 'ma_eur'])
  })

  test('find a dispute that becomes readable two days after it was received', async () => {
    await using braintree = await simulated()
    const { cursor } = await poll(braintree.adapter)
    const [reference = ''] = await braintree.create({ count: 1, ageDays: 0.01 })
    await braintree.control('PATCH', `/disputes/${reference}`, { fields: { receivedDate: dayBefore(2) } })
    expect((await poll(braintree.adapter, cursor)).returned).toEqual([reference])
  })

  test('find a changed status of an old dispute by its history', async () => {
    await using braintree = await simulated()
    const created = await braintree.create({ count: 10, status: 'won', ageDays: 170 })
    const { cursor } = await poll(braintree.adapter)
    const { returned } = await poll(braintree.adapter, cursor)
    const reference = created.find((candidate) => !returned.includes(candidate)) ?? 'all are new'
    await braintree.control('POST', `/disputes/${reference}/decide`, { outcome: 'lost' })
    expect((await poll(braintree.adapter, cursor)).returned).toContain(reference)
  })

  test('find a changed amount or date of an old open dispute by its status', async () => {
    await using braintree = await simulated()
    const [reference = ''] = await braintree.create({ count: 1, status: 'open', ageDays: 90 })
    const { cursor } = await poll(braintree.adapter)
    await braintree.control('PATCH', `/disputes/${reference}`, { amount: 12 })
    expect((await poll(braintree.adapter, cursor)).returned).toEqual([reference])
  })
})

test('disputes read before a failure are returned, and the next call fails', async () => {
  await using braintree = await startServer((_, response, body) =>
    body.includes('"status"') ? sendXml(response, 500, '') : sendXml(response, 200, pageOf(['d1'], 1)),
  )
  const adapter = connectTo(braintree.url)
  const page = await adapter.listDisputes({ cursor: INITIAL, oldestOpen: null })
  expect(page.items.length).toBeGreaterThan(0)
  expect(page.hasMore).toBe(true)
  await expect(adapter.listDisputes({ cursor: page.cursor, oldestOpen: null })).rejects.toMatchObject({
    kind: 'unavailable',
  })
})

function dayBefore(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
}

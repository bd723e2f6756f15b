import { describe, expect, test } from 'vitest'
import { listed, openList, seconds } from './lists.ts'
import { errorOf, json, NOW, stubbed } from './paypal.ts'

const day = 86_400

describe('the window', () => {
  test('of the first load is unbounded', async () => {
    const list = openList(listed(3))
    await list.poll()
    expect([...(list.lists[0]?.keys() ?? [])]).toEqual(['page_size'])
  })

  test('of a poll starts ten minutes before the newest update and has no end', async () => {
    const list = openList(listed(3, () => seconds - 1000))
    await list.poll()
    await list.poll()
    const parameters = list.lists.at(-1)
    expect(parameters?.get('update_time_after')).toBe(new Date((seconds - 1600) * 1000).toISOString())
    expect(parameters?.has('update_time_before')).toBe(false)
  })

  test('reaches back no further than PayPal’s limit', async () => {
    const list = openList([])
    list.setCursor({ highWater: seconds - 300 * day, sweptAt: seconds - day })
    await list.poll()
    expect(list.lists[0]?.get('update_time_after')).toBe(new Date((seconds - 179 * day) * 1000).toISOString())
  })

  test('is unbounded once a week, and after the clock was ahead', async () => {
    const list = openList(listed(2))
    for (const sweptAt of [seconds - 7 * day, seconds + day]) {
      list.setCursor({ highWater: seconds - 60, sweptAt, scan: null })
      expect(await list.poll()).toHaveLength(2)
      expect(list.lists.at(-1)?.has('update_time_after')).toBe(false)
    }
  })

  test('is not moved by an update time in the future', async () => {
    const list = openList([...listed(2), { id: 'PP-ahead', updatedAt: seconds + 400 * day }])
    await list.poll()
    expect(list.cursor().highWater).toBe(seconds - day)
  })
})

describe('a list', () => {
  test('is empty without items, or with an empty array', async () => {
    for (const body of [{ links: [] }, { items: [], links: [] }, { items: null }, {}]) {
      const { adapter } = stubbed(({ path }) => (path.startsWith('/v1/customer') ? json(body) : undefined))
      const cursor = openList([]).cursor()
      const page = await adapter.listDisputes({ cursor, oldestOpen: null })
      expect([page.items, page.hasMore]).toEqual([[], false])
    }
  })

  test('continues after an empty page in the middle', async () => {
    const next = (page: number) => ({ rel: 'next', href: `https://api.paypal.com/v1/customer/disputes?p=${page}` })
    const row = (id: string) => ({ dispute_id: id, update_time: '2026-02-01T00:00:00.000Z' })
    const pages: Record<string, object> = {
      '/v1/customer/disputes?page_size=50': { items: [row('PP-1')], links: [next(2)] },
      '/v1/customer/disputes?p=2': { links: [next(3)] },
      '/v1/customer/disputes?p=3': { items: [row('PP-3')], links: [] },
    }
    const { adapter } = stubbed(({ path }) => {
      if (path in pages) return json(pages[path])
      return path.includes('disputes/') ? json({ dispute_id: path.split('/').at(-1) }) : undefined
    })
    let cursor = openList([]).cursor()
    const found: (string | null)[] = []
    for (let more = true; more; ) {
      const page = await adapter.listDisputes({ cursor, oldestOpen: null })
      found.push(...page.items.map((item) => item.reference))
      cursor = page.cursor
      more = page.hasMore
    }
    expect(found).toEqual(['PP-1', 'PP-3'])
  })

  test('is unavailable if its next page is the same page', async () => {
    const self = { rel: 'next', href: 'https://api.paypal.com/v1/customer/disputes?page_size=50' }
    const { adapter } = stubbed(({ path }) => (path.startsWith('/v1/customer') ? json({ links: [self] }) : undefined))
    const work = adapter.listDisputes({ cursor: openList([]).cursor(), oldestOpen: null })
    expect((await errorOf(work)).kind).toBe('unavailable')
  })

  test('is not followed to a foreign host', async () => {
    const next = { rel: 'next', href: 'https://evil.example/v1/customer/disputes?page=2' }
    const { adapter, calls } = stubbed(({ path }) =>
      path.startsWith('/v1/customer') ? json({ links: [next] }) : undefined,
    )
    const work = adapter.listDisputes({ cursor: openList([]).cursor(), oldestOpen: null })
    expect((await errorOf(work)).kind).toBe('unavailable')
    expect(calls.every((call) => !call.url.includes('evil'))).toBe(true)
  })

  test('loses no other row if one disappears between pages', async () => {
    const disputes = listed(130)
    const list = openList(disputes)
    const found = await list.poll((pages) => {
      if (pages === 1) disputes.splice(3, 1)
      if (pages === 2) disputes.splice(60, 2)
    })
    for (const { id } of disputes) expect(found).toContain(id)
  })

  test('returns no row twice if one is added between pages', async () => {
    const disputes = listed(120)
    const list = openList(disputes)
    const found = await list.poll((pages) => {
      if (pages === 1) disputes.unshift({ id: 'PP-new', updatedAt: seconds - 1 })
    })
    expect(new Set(found).size).toBe(found.length)
    expect(await list.poll()).toEqual(['PP-new'])
  })

  test('is read from its start if the scan was interrupted for a day', async () => {
    let now = NOW
    const list = openList(listed(120), { now: () => now })
    await list.page()
    now = new Date(NOW.getTime() + 25 * 3_600_000)
    await list.page()
    expect(list.lists.at(-1)?.has('page')).toBe(true)
    expect(list.cursor().scan?.startedAt).toBe(now.getTime() / 1000)
  })
})

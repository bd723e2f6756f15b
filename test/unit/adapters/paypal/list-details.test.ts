import { describe, expect, test } from 'vitest'
import { paypal } from '../../../../adapters/paypal/index.ts'
import { toChargeback } from '../../../../adapters/paypal/translate.ts'
import { listed, openList, seconds } from './lists.ts'
import { errorOf, ID, json, NOW, stubbed } from './paypal.ts'

const day = 86_400

test('if PayPal could not confirm the account and a dispute names another one, nothing more is read', async () => {
  const row = {
    dispute_id: ID,
    update_time: '2026-02-02T10:00:00Z',
    disputed_transactions: [{ seller: { merchant_id: 'OTHER9' } }],
  }
  const { adapter, apiCalls } = stubbed(({ path }) =>
    path.startsWith('/v1/customer') ? json({ items: [row], links: [] }) : undefined,
  )
  const cursor = paypal.cursor.initial(NOW)
  expect(await errorOf(adapter.listDisputes({ cursor, oldestOpen: null }))).toMatchObject({
    kind: 'config_invalid',
    message: expect.stringMatching(/OTHER9.*MERCHANT1/),
  })
  expect(apiCalls()).toHaveLength(1)
})

describe('the details of a page', () => {
  test('are read two at a time', async () => {
    const list = openList(listed(30))
    await list.poll()
    expect(list.mostAtOnce()).toBe(2)
  })

  test('are not read again while their rows stay the same', async () => {
    const list = openList(listed(5, () => seconds - 120))
    await list.poll()
    const before = JSON.stringify(list.cursor())
    expect(await list.poll()).toEqual([])
    expect(list.details).toHaveLength(5)
    expect(JSON.stringify(list.cursor())).toBe(before)
  })

  test.each([{ status: 'RESOLVED' }, { stage: 'CHARGEBACK' }])(
    'are read again if the row changed to %j, even in the same second',
    async (change) => {
      const disputes = listed(3, () => seconds - 120)
      const list = openList(disputes)
      await list.poll()
      Object.assign(disputes[1] ?? {}, change)
      expect(await list.poll()).toEqual(['PP-1'])
    },
  )

  test('are read again if the row is so new that it may change again within the same second', async () => {
    const list = openList(listed(1, () => seconds - 10))
    await list.poll()
    expect(await list.poll()).toEqual(['PP-0'])
  })

  test('leave out a deleted dispute', async () => {
    const deleted = {
      id: 'PP-gone',
      updatedAt: seconds - day,
      detail: () => json({ name: 'INVALID_RESOURCE_ID' }, 404),
    }
    expect(await openList([...listed(2), deleted]).poll()).toEqual(['PP-0', 'PP-1'])
  })

  test('return a dispute as unmappable if PayPal fails to return it, and read it again in the next poll', async () => {
    let broken = true
    const odd = {
      id: 'PP-odd',
      updatedAt: seconds - 100,
      detail: () => (broken ? json('{"name":"INTERNAL_SERVICE_ERROR"}', 500) : json({ dispute_id: 'PP-odd' })),
    }
    const list = openList([...listed(3, () => seconds - 90), odd])
    const { items } = await list.page()
    const shown = items.find((item) => item.reference === 'PP-odd')
    expect(toChargeback(shown ?? { reference: null, text: '' })).toMatchObject({ kind: 'unmappable' })
    expect(items).toHaveLength(4)
    broken = false
    expect(await list.poll()).toEqual(['PP-odd'])
  })

  test('let the poll finish if PayPal fails to return the merchant’s only dispute', async () => {
    const list = openList([{ id: 'PP-odd', updatedAt: seconds - 100, detail: () => json('x', 500) }])
    const { items, hasMore } = await list.page()
    expect([items.map((item) => item.reference), hasMore]).toEqual([['PP-odd'], false])
  })

  test('are read again in the next poll if PayPal lists a dispute but returns 404 for it', async () => {
    let known = false
    const late = {
      id: 'PP-late',
      updatedAt: seconds - 100,
      detail: () => (known ? json({ dispute_id: 'PP-late' }) : json({ name: 'INVALID_RESOURCE_ID' }, 404)),
    }
    const list = openList([...listed(2, () => seconds - 90), late])
    expect(await list.poll()).toEqual(['PP-0', 'PP-1'])
    known = true
    expect(await list.poll()).toEqual(['PP-late'])
  })

  test('are returned up to PayPal’s rate limit, and the page continues afterwards', async () => {
    let allowed = 0
    const detailOf = (id: string) => () =>
      allowed-- > 0 ? json({ dispute_id: id }) : json({ name: 'RATE_LIMIT_REACHED' }, 429, { 'retry-after': '30' })
    const list = openList(listed(60).map((dispute) => ({ ...dispute, detail: detailOf(dispute.id) })))
    const found: (string | null)[] = []
    for (let pages = 0; pages < 10; pages++) {
      allowed = 7
      const { items, hasMore } = await list.page()
      found.push(...items.map((item) => item.reference))
      if (!hasMore) break
      allowed = 0
      expect(await errorOf(list.page())).toMatchObject({ kind: 'rate_limited', retryAfterMs: 30_000 })
    }
    expect([...found].sort()).toEqual(
      listed(60)
        .map(({ id }) => id)
        .sort(),
    )
    expect(list.cursor().scan).toBeNull()
    // The check whether the window is too large is made once.
    expect(list.lists.filter((query) => query.get('page') === '50')).toHaveLength(1)
  })

  const disconnect = () => {
    throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } })
  }

  test('are unavailable if PayPal fails to return several, after all others were returned', async () => {
    const odd = listed(3).map((dispute) => ({ ...dispute, id: `${dispute.id}-odd`, detail: () => json('x', 500) }))
    const list = openList([...listed(9), ...odd])
    const { items, hasMore } = await list.page()
    expect([items.map((item) => item.reference), hasMore]).toEqual([listed(9).map(({ id }) => id), true])
    expect((await errorOf(list.page())).kind).toBe('unavailable')
  })

  test('are unavailable while the network is down', async () => {
    const list = openList(listed(9).map((dispute) => ({ ...dispute, detail: disconnect })))
    expect((await errorOf(list.page())).kind).toBe('unavailable')
    await new Promise((resolve) => setImmediate(resolve))
    expect(list.details.length).toBeLessThan(5)
  })

  test('are all read, each once, over a network that drops one call in five', async () => {
    let calls = 0
    const detailOf = (id: string) => () => (++calls % 5 === 0 ? disconnect() : json({ dispute_id: id }))
    const list = openList(listed(60).map((dispute) => ({ ...dispute, detail: detailOf(dispute.id) })))
    const found: (string | null)[] = []
    for (let more = true; more; ) {
      const { items, hasMore } = await list.page()
      found.push(...items.map((item) => item.reference))
      more = hasMore
    }
    expect([...found].sort()).toEqual(
      listed(60)
        .map(({ id }) => id)
        .sort(),
    )
    expect(list.cursor().scan).toBeNull()
  })
})

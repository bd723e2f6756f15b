import { describe, expect, test } from 'vitest'
import { connectSimulator, DISPUTES } from '../../adapters/paypal/at-simulator.ts'

interface Item {
  dispute_id: string
  create_time: string
  update_time: string
}

describe('the simulated list', () => {
  test('is ordered by creation, newest first, whatever was updated last', async () => {
    await using paypal = await connectSimulator()
    const references = await paypal.create({ count: 12, status: 'under_review', ageDays: 50 })
    const order = async () =>
      (await paypal.call('GET', `${DISPUTES}?page_size=50`)).body.items.map((item: Item) => item.dispute_id)
    const before = await order()
    const created = (await paypal.call('GET', `${DISPUTES}?page_size=50`)).body.items.map((i: Item) => i.create_time)
    expect(created).toEqual(created.toSorted().toReversed())
    await paypal.control(`/disputes/${references.at(-1)}/decide`, { outcome: 'won' })
    expect(await order()).toEqual(before)
  })

  test('shows summaries: three ids of the transaction, an outcome in one word, and only the self link', async () => {
    await using paypal = await connectSimulator()
    await paypal.create({ count: 1, status: 'lost', stage: 'claim' })
    const [item] = (await paypal.call('GET', DISPUTES)).body.items
    const [transaction] = item.disputed_transactions
    expect(item.outcome).toBe('LOST')
    expect(Object.keys(transaction).sort()).toEqual(['buyer', 'buyer_transaction_id', 'seller'])
    expect([Object.keys(transaction.buyer), Object.keys(transaction.seller)]).toEqual([['payer_id'], ['merchant_id']])
    expect(item).not.toHaveProperty('dispute_outcome')
    expect(item.links.map((link: { rel: string }) => link.rel)).toEqual(['self'])
  })

  test('ends at page 50, and links to the next page on another host', async () => {
    await using paypal = await connectSimulator()
    await paypal.create({ count: 2501, ageDays: 100 })
    const rels = async (page: number) => {
      const { body } = await paypal.call('GET', `${DISPUTES}?page_size=50&page=${page}`)
      return body.links as { rel: string; href: string }[]
    }
    const first = await rels(1)
    const next = first.find((link) => link.rel === 'next')
    expect(first.map((link) => link.rel)).toEqual(['self', 'first', 'next'])
    expect(new URL(next?.href ?? '').host).not.toBe(new URL(first[0]?.href ?? '').host)
    expect((await rels(50)).map((link) => link.rel)).toEqual(['self', 'first'])
  })

  test('returns an error for an unknown transaction, and for a transaction together with start_time', async () => {
    await using paypal = await connectSimulator()
    const unknown = await paypal.call('GET', `${DISPUTES}?disputed_transaction_id=NONE`)
    expect([unknown.status, unknown.body.name]).toEqual([400, 'INVALID_REQUEST'])
    const time = new Date(Date.now() - 60_000).toISOString()
    const both = await paypal.call('GET', `${DISPUTES}?disputed_transaction_id=NONE&start_time=${time}`)
    expect([both.status, both.body.details[0].issue]).toEqual([400, 'MUTUALLY_EXCLUSIVE'])
  })

  test('filters by creation time', async () => {
    await using paypal = await connectSimulator()
    await paypal.create({ count: 5, ageDays: 100 })
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
    const found = async (query: string) => ((await paypal.call('GET', `${DISPUTES}?${query}`)).body.items ?? []).length
    expect(await found(`create_time_after=${ago(101)}`)).toBe(5)
    expect(await found(`create_time_before=${ago(101)}`)).toBe(0)
  })
})

describe('errors of the simulated PayPal', () => {
  test('contain what clients in other languages read', async () => {
    await using paypal = await connectSimulator()
    const unknown = await paypal.call('GET', `${DISPUTES}/PP-NONE`)
    expect([unknown.status, unknown.body.details[0].issue]).toEqual([404, 'INVALID_RESOURCE_ID'])
    expect(unknown.body.debug_id).toBe(unknown.headers.get('paypal-debug-id'))
    await paypal.control('/faults', { kind: '401', count: 1 })
    const revoked = await paypal.call('GET', DISPUTES)
    expect([revoked.status, Object.keys(revoked.body)]).toEqual([401, ['error', 'error_description']])
    expect((await paypal.call('GET', DISPUTES)).status).toBe(200)
  })

  test('at the token endpoint occur once, and the next request succeeds', async () => {
    await using paypal = await connectSimulator()
    await paypal.control('/faults', { kind: '500', count: 1, match: { path: '/v1/oauth2/token' } })
    expect([(await paypal.mint()).status, (await paypal.mint()).status]).toEqual([500, 200])
  })
})

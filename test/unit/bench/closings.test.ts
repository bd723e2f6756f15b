import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BulkStripe, keyOf, serveBulk } from '../../../bench/psp/bulk.ts'

interface Dispute {
  id: string
  status: string
}

describe('the bulk Stripe', () => {
  let bulk: BulkStripe
  beforeAll(async () => {
    bulk = await serveBulk({ count: 40, small: 10 })
  })
  afterAll(() => bulk.close())

  const ask = async <T>(account: string, path: string, method = 'GET') => {
    const headers = { authorization: `Bearer ${keyOf(account)}` }
    return (await (await fetch(`${bulk.url}/v1/disputes${path}`, { method, headers })).json()) as T
  }
  const list = async (account: string) => (await ask<{ data: Dispute[] }>(account, '?limit=100')).data

  test('returns the newest disputes to small accounts, and all disputes to the others', async () => {
    const [small, large] = [await list('acct_small1'), await list('acct_large1')]
    expect([small.length, large.length]).toEqual([10, 40])
    expect(small).toEqual(large.slice(0, 10))
  })

  test('closes a dispute for one account, once, and shows it in reads and lists from then on', async () => {
    const open = (await list('acct_small1')).find(({ status }) => status === 'needs_response') as Dispute
    expect(await ask('acct_small1', `/${open.id}`)).toEqual(open)
    for (let n = 0; n < 2; n++)
      expect(await ask('acct_small1', `/${open.id}/close`, 'POST')).toMatchObject({ id: open.id, status: 'lost' })
    expect(bulk.closings()).toEqual([{ key: keyOf('acct_small1'), reference: open.id, at: expect.any(Number) }])
    expect(bulk.closings()).toEqual([])
    expect(await ask('acct_small1', `/${open.id}`)).toMatchObject({ status: 'lost' })
    expect(await list('acct_small1')).toContainEqual({ ...open, status: 'lost' })
    expect(await ask('acct_small2', `/${open.id}`)).toEqual(open)
  })
})

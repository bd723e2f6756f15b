import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BulkStripe, serveBulk } from '../../../bench/psp/bulk.ts'

interface Dispute {
  id: string
  created: number
  status: string
  evidence_details: { due_by: number }
}
interface List {
  data: Dispute[]
  has_more: boolean
}

const COUNT = 5_250
let psp: BulkStripe
beforeAll(async () => {
  psp = await serveBulk({ count: COUNT })
})
afterAll(() => psp.close())

async function page(query: Record<string, string | number>): Promise<List> {
  const words = new URLSearchParams(query as Record<string, string>)
  return (await fetch(`${psp.url}/v1/disputes?${words}`)).json() as Promise<List>
}

async function all(query: Record<string, string | number> = {}): Promise<Dispute[]> {
  const found: Dispute[] = []
  for (let after = ''; ; ) {
    const { data, has_more } = await page({ limit: 100, ...query, ...(after && { starting_after: after }) })
    found.push(...data)
    after = data.at(-1)?.id ?? ''
    if (!has_more) return found
  }
}

test('pages contain every dispute once, newest first, the oldest still open', async () => {
  const disputes = await all()
  expect(new Set(disputes.map(({ id }) => id)).size).toBe(COUNT)
  for (const [index, { created }] of disputes.entries())
    expect(created).toBeLessThanOrEqual(disputes[index - 1]?.created ?? created)
  expect(disputes.at(-1)?.status).toBe('needs_response')
})

test('created bounds are honoured, inclusive and exclusive', async () => {
  const disputes = await all()
  const [from, until] = [disputes[4_000]?.created ?? 0, disputes[1_000]?.created ?? 0]
  const among = (keep: (created: number) => boolean) => disputes.filter(({ created }) => keep(created)).length
  expect(await all({ 'created[gte]': from, 'created[lte]': until })).toHaveLength(
    among((created) => created >= from && created <= until),
  )
  expect(await all({ 'created[gt]': from, 'created[lt]': until })).toHaveLength(
    among((created) => created > from && created < until),
  )
  expect(await page({ 'created[gt]': disputes[0]?.created ?? 0 })).toEqual({
    ...{ object: 'list', data: [], has_more: false, url: '/v1/disputes' },
  })
})

test('new disputes are listed first, and changed ones keep their place', async () => {
  const before = await all()
  psp.change({ prepend: 2 })
  const after = await all()
  expect(after.slice(2)).toEqual(before)
  psp.change({ share: 0.01 })
  const changed = (await all()).filter(({ evidence_details }, index) => {
    return evidence_details.due_by !== after[index]?.evidence_details.due_by
  })
  expect(changed).toHaveLength(Math.floor(COUNT / 100))
})

test('an unknown starting_after is refused, and every key has an account', async () => {
  expect((await fetch(`${psp.url}/v1/disputes?starting_after=du_1other`)).status).toBe(404)
  const headers = { authorization: 'Bearer sk_test_bulk7' }
  const account = await (await fetch(`${psp.url}/v1/account`, { headers })).json()
  expect(account).toMatchObject({ id: 'acct_bulk7' })
})

import { describe, expect, test } from 'vitest'
import type { KnownPage } from '../../../../adapters/contract.ts'
import { type StripeCursor, stripeCursor } from '../../../../adapters/stripe/cursor.ts'
import { connectStripe, sampleDispute, sendJson, startLoopback } from '../loopback.ts'

const NOW = new Date('2026-11-21T10:00:00Z')
const seconds = NOW.getTime() / 1000

type Row = Record<string, unknown>
/** `count` disputes, newest first, an hour apart. */
const disputes = (count: number): Row[] =>
  Array.from({ length: count }, (_, index) =>
    sampleDispute({ id: `dp_${count - index}`, created: seconds - (index + 1) * 3600, metadata: {} }),
  )

/** A simulated Stripe list of `rows`; each scan of it knows the pages that earlier scans stored. */
async function openList(rows: Row[]) {
  const server = await startLoopback(({ query }, response) => {
    const from = Number(query.get('created[gte]'))
    const before = Number(query.get('created[lt]') ?? Number.POSITIVE_INFINITY)
    const window = rows.filter(({ created }) => Number(created) >= from && Number(created) < before)
    const after = query.get('starting_after')
    const start = after === null ? 0 : window.findIndex((row) => row.id === after) + 1
    if (after !== null && start === 0) return sendJson(response, 400, { error: { code: 'resource_missing' } })
    const data = window.slice(start, start + 100)
    return sendJson(response, 200, { object: 'list', data, has_more: start + 100 < window.length, url: '/' })
  })
  const known = new Map<string, KnownPage>()
  let cursor: StripeCursor = stripeCursor.initial(NOW)
  async function scan(now = NOW, afterPage: () => void = () => {}) {
    const adapter = connectStripe(server.url, { now: () => now })
    const [returned, unchanged]: [string[], string[]] = [[], []]
    const before = server.seen.length
    for (let hasMore = true; hasMore; ) {
      const page = await adapter.listDisputes({ cursor, oldestOpen: new Date(0), known })
      ;({ cursor, hasMore } = page)
      returned.push(...page.items.map((item) => String(item.reference)))
      afterPage()
      if (!page.listed) continue
      // Like the engine, which stores it as JSON.
      const { key, unchanged: same, fingerprint, objects, next } = page.listed
      if (same) unchanged.push(key)
      known.set(key, { fingerprint, objects, next: JSON.parse(JSON.stringify(next)) })
    }
    return { returned, unchanged, requests: server.seen.length - before }
  }
  return { scan, known, rows, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

describe('known pages', () => {
  test('after a first load in windows: a poll compares two pages at the end of each, and the next one none', async () => {
    await using list = await openList(disputes(3_000))
    expect((await list.scan()).returned.toSorted()).toEqual(list.rows.map((row) => row.id).toSorted())
    const { unchanged, requests } = await list.scan()
    expect(requests - unchanged.length).toBeLessThanOrEqual(9)
    const last = await list.scan()
    expect([last.returned, last.unchanged.length]).toEqual([[], last.requests])
  })

  test('return no object if they are unchanged, and the scan ends at the same place', async () => {
    await using list = await openList(disputes(250))
    expect(await list.scan()).toMatchObject({ unchanged: [], requests: 3 })
    expect(await list.scan()).toEqual({ returned: [], unchanged: ['newest', 'dp_151', 'dp_51'], requests: 3 })
  })

  test('stay unchanged after new disputes: one more page is read, and every new dispute is returned', async () => {
    await using list = await openList(disputes(450))
    await list.scan()
    for (const n of [1, 2, 3]) {
      list.rows.unshift(sampleDispute({ id: `dp_new${n}`, created: seconds - 1000 + n }))
      const { returned, unchanged, requests } = await list.scan()
      expect(returned).toContain(`dp_new${n}`)
      expect(unchanged).toEqual(expect.arrayContaining(['dp_351', 'dp_251', 'dp_151', 'dp_51']))
      expect(requests).toBeLessThanOrEqual(6)
    }
  })

  test('return the page of a changed dispute, and the others stay unchanged', async () => {
    await using list = await openList(disputes(250))
    await list.scan()
    Object.assign(list.rows[120] as Row, { status: 'won' })
    const { returned, unchanged } = await list.scan()
    expect(returned).toHaveLength(100)
    expect(returned).toContain(list.rows[120]?.id)
    expect(unchanged).toEqual(['newest', 'dp_51'])
  })

  test('are no longer used if the dispute that a page starts after was removed: all is read', async () => {
    await using list = await openList(disputes(250))
    await list.scan()
    const { returned } = await list.scan(NOW, () => {
      const removed = list.rows.findIndex((row) => row.id === 'dp_151')
      if (removed >= 0) list.rows.splice(removed, 1)
    })
    expect(returned.toSorted()).toEqual(list.rows.map((row) => row.id).toSorted())
  })

  test('are read again once a week', async () => {
    await using list = await openList(disputes(150))
    await list.scan()
    const { returned, unchanged } = await list.scan(new Date(NOW.getTime() + 8 * 86_400_000))
    expect([returned.length, unchanged]).toEqual([150, []])
  })
})

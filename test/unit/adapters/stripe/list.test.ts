import { describe, expect, test } from 'vitest'
import type { RawObject } from '../../../../adapters/contract.ts'
import { type StripeCursor, stripeCursor } from '../../../../adapters/stripe/cursor.ts'
import { toChargeback } from '../../../../adapters/stripe/translate.ts'
import { connectStripe, type SeenRequest, sampleDispute, sendJson, startLoopback } from '../loopback.ts'

const NOW = new Date('2026-11-21T10:00:00Z')
const DAY = 86_400
const seconds = NOW.getTime() / 1000
const atNow = { now: () => NOW }

/** `count` disputes, newest first, an hour apart. */
function disputes(count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, index) =>
    sampleDispute({ id: `dp_${count - index}`, created: seconds - index * 3600 }),
  )
}

/** Simulates Stripe's list of `rows`; `forbidden` returns the error for a request that gets a 403. */
function serveList(rows: Record<string, unknown>[], forbidden: (request: SeenRequest) => unknown = () => undefined) {
  return startLoopback((request, response) => {
    const error = forbidden(request)
    if (error !== undefined) return sendJson(response, 403, error)
    const from = Number(request.query.get('created[gte]'))
    const window = rows.filter((row) => Number(row.created) >= from)
    const after = request.query.get('starting_after')
    const start = after === null ? 0 : window.findIndex((row) => row.id === after) + 1
    if (after !== null && start === 0) return sendJson(response, 400, { error: { code: 'resource_missing' } })
    const data = window.slice(start, start + Number(request.query.get('limit')))
    return sendJson(response, 200, { object: 'list', data, has_more: start + data.length < window.length, url: '/' })
  })
}

async function scan(adapter: ReturnType<typeof connectStripe>, cursor: StripeCursor, oldestOpen: Date | null = null) {
  const items: RawObject[] = []
  const cursors: StripeCursor[] = []
  for (let hasMore = true; hasMore; ) {
    const page = await adapter.listDisputes({ cursor, oldestOpen })
    items.push(...page.items)
    cursor = page.cursor
    cursors.push(cursor)
    hasMore = page.hasMore
  }
  return { items, cursor, cursors }
}

describe('reading all disputes', () => {
  test('250 disputes are read in three pages, each once, with unchanged bytes', async () => {
    const rows = disputes(250)
    await using server = await serveList(rows)
    const { items } = await scan(connectStripe(server.url, atNow), stripeCursor.initial(NOW))
    expect(items.map((item) => item.reference)).toEqual(rows.map((row) => row.id))
    expect(items.map((item) => item.text)).toEqual(rows.map((row) => JSON.stringify(row)))
    expect(server.seen.length).toBe(3)
    expect(server.seen[0]?.query.get('expand[0]')).toBe('data.charge')
  })

  test('the first load reaches back 180 days', async () => {
    await using server = await serveList([])
    await scan(connectStripe(server.url, atNow), stripeCursor.initial(NOW))
    expect(server.seen[0]?.query.get('created[gte]')).toBe(String(seconds - 180 * DAY))
  })

  test('the high-water mark moves only when the scan is complete', async () => {
    await using server = await serveList(disputes(250))
    const { cursors } = await scan(connectStripe(server.url, atNow), stripeCursor.initial(NOW))
    expect(cursors.map((cursor) => cursor.highWater)).toEqual([null, null, seconds])
    expect(cursors.map((cursor) => cursor.scan === null)).toEqual([false, false, true])
  })

  test('an interrupted scan continues after its last page', async () => {
    await using server = await serveList(disputes(250))
    const first = await connectStripe(server.url, atNow).listDisputes({
      cursor: stripeCursor.initial(NOW),
      oldestOpen: null,
    })
    const stored = stripeCursor.schema.parse(JSON.parse(JSON.stringify(first.cursor)))
    const { items } = await scan(connectStripe(server.url, atNow), stored)
    expect(items.length).toBe(150)
  })

  test('if the dispute that a page starts after is gone, the window is read from its start', async () => {
    const rows = disputes(150)
    await using server = await serveList(rows)
    const adapter = connectStripe(server.url, atNow)
    const first = await adapter.listDisputes({ cursor: stripeCursor.initial(NOW), oldestOpen: null })
    rows.splice(99, 1)
    const { items } = await scan(adapter, first.cursor)
    expect(new Set(items.map((item) => item.reference)).size).toBe(149)
  })
})

describe('reading again', () => {
  async function afterFirst(rows: Record<string, unknown>[]) {
    const server = await serveList(rows)
    const adapter = connectStripe(server.url, atNow)
    const { cursor } = await scan(adapter, stripeCursor.initial(NOW))
    server.seen.length = 0
    return { server, adapter, cursor }
  }

  test('reaches back to 48 hours before the newest dispute', async () => {
    const { server, adapter, cursor } = await afterFirst(disputes(3))
    await scan(adapter, cursor)
    expect(server.seen[0]?.query.get('created[gte]')).toBe(String(seconds - 2 * DAY))
    await server[Symbol.asyncDispose]()
  })

  test('reaches back to the oldest dispute that may still change', async () => {
    const { server, adapter, cursor } = await afterFirst(disputes(3))
    await scan(adapter, cursor, new Date(NOW.getTime() - 40 * DAY * 1000))
    expect(server.seen[0]?.query.get('created[gte]')).toBe(String(seconds - 40 * DAY))
    await server[Symbol.asyncDispose]()
  })

  test('leaves the cursor unchanged if nothing is new', async () => {
    const { server, adapter, cursor } = await afterFirst(disputes(3))
    expect((await scan(adapter, cursor)).cursor).toEqual(cursor)
    await server[Symbol.asyncDispose]()
  })

  test('covers all 180 days once a week, because decided disputes change too', async () => {
    const { server, cursor } = await afterFirst(disputes(3))
    const later = new Date(NOW.getTime() + 8 * DAY * 1000)
    const again = await scan(connectStripe(server.url, { now: () => later }), cursor)
    expect(server.seen[0]?.query.get('created[gte]')).toBe(String(later.getTime() / 1000 - 180 * DAY))
    expect(again.cursor.sweptAt).toBe(later.getTime() / 1000)
    await server[Symbol.asyncDispose]()
  })

  test('treats a high-water mark in the future as now', async () => {
    await using server = await serveList([])
    const future = { highWater: seconds + 900 * DAY, sweptAt: seconds - DAY, scan: null }
    const { cursor } = await scan(connectStripe(server.url, atNow), future)
    expect(server.seen[0]?.query.get('created[gte]')).toBe(String(seconds - 2 * DAY))
    expect(cursor.highWater).toBe(seconds)
  })

  test('ignores an absurd creation time for the high-water mark', async () => {
    const rows = [sampleDispute({ id: 'dp_odd', created: 4e12 }), sampleDispute({ id: 'dp_ok', created: seconds - 60 })]
    await using server = await serveList(rows)
    const { cursor, items } = await scan(connectStripe(server.url, atNow), stripeCursor.initial(NOW))
    expect(items.length).toBe(2)
    expect(cursor.highWater).toBe(seconds - 60)
  })
})

describe('a row that differs on every read', () => {
  test('because of its receipt_url is stored unchanged, and gives the same chargeback', async () => {
    let reads = 0
    await using server = await startLoopback((_, response) => {
      reads += 1
      const charge = { id: 'ch_1', object: 'charge', receipt_url: `https://pay.example.com/receipts/${reads}` }
      sendJson(response, 200, { object: 'list', data: [sampleDispute({ charge })], has_more: false })
    })
    const adapter = connectStripe(server.url, atNow)
    const read = async () => (await scan(adapter, stripeCursor.initial(NOW))).items[0] ?? { reference: null, text: '' }
    const [first, second] = [await read(), await read()]
    expect([first.text, second.text].map((text) => JSON.parse(text).charge.receipt_url.at(-1))).toEqual(['1', '2'])
    expect(toChargeback(second)).toEqual(toChargeback(first))
    expect(toChargeback(first)).toMatchObject({ kind: 'chargeback', anomalies: [] })
  })
})

const begun = (after: string, pages: number) => ({
  ...{ from: 0, startedAt: seconds, sweep: true, newest: null, pages },
  windows: [{ from: 0, before: null, after }],
})

describe('invalid rows and lists', () => {
  test('invalid rows are returned with the others, without a reference', async () => {
    const data = [
      sampleDispute({ id: null }),
      'text',
      sampleDispute({ id: 'dp_\u0000' }),
      sampleDispute({ id: 'dp_fine' }),
    ]
    await using server = await startLoopback((_, response) =>
      sendJson(response, 200, { object: 'list', data, has_more: false }),
    )
    const { items } = await scan(connectStripe(server.url, atNow), stripeCursor.initial(NOW))
    expect(items.map((item) => item.reference)).toEqual([null, null, null, 'dp_fine'])
    expect(items.map((item) => item.text)).toEqual(data.map((row) => JSON.stringify(row)))
  })

  test('after a last row without an id, the next page starts after the row before it', async () => {
    let calls = 0
    await using server = await startLoopback((request, response) => {
      calls++
      const data =
        calls === 1 ? [sampleDispute({ id: 'dp_a' }), sampleDispute({ id: null })] : [sampleDispute({ id: 'dp_c' })]
      if (calls === 2) expect(request.query.get('starting_after')).toBe('dp_a')
      sendJson(response, 200, { object: 'list', data, has_more: calls === 1 })
    })
    const { items } = await scan(connectStripe(server.url, atNow), stripeCursor.initial(NOW))
    expect(items.map((item) => item.reference)).toEqual(['dp_a', null, 'dp_c'])
  })

  test('a list that never advances is an error, not an endless loop', async () => {
    await using server = await startLoopback((_, response) =>
      sendJson(response, 200, { object: 'list', data: [sampleDispute()], has_more: true }),
    )
    await expect(scan(connectStripe(server.url, atNow), stripeCursor.initial(NOW))).rejects.toMatchObject({
      kind: 'unavailable',
    })
    expect(server.seen.length).toBe(2)
  })

  test('a scan that reached the page limit restarts after a day', async () => {
    await using server = await serveList(disputes(150))
    const started = begun('dp_150', 99_999)
    const cursor = { ...stripeCursor.initial(NOW), scan: started }
    const at = (hours: number) => ({ now: () => new Date(NOW.getTime() + hours * 3_600_000) })
    const work = connectStripe(server.url, at(23)).listDisputes({ cursor, oldestOpen: null })
    await expect(work).rejects.toMatchObject({ kind: 'unavailable' })
    const { items } = await scan(connectStripe(server.url, at(25)), cursor)
    expect(items).toHaveLength(150)
  })

  test('a window that is read from its start may use the whole page limit again', async () => {
    await using server = await serveList(disputes(150))
    const started = begun('dp_gone', 9_999)
    const { items } = await scan(connectStripe(server.url, atNow), { ...stripeCursor.initial(NOW), scan: started })
    expect(items).toHaveLength(150)
  })

  test('a list without `data` is not an empty list', async () => {
    await using server = await startLoopback((_, response) =>
      sendJson(response, 200, { object: 'list', has_more: false }),
    )
    await expect(scan(connectStripe(server.url, atNow), stripeCursor.initial(NOW))).rejects.toMatchObject({
      kind: 'unavailable',
    })
  })
})

describe('a key that may not read charges', () => {
  test('lists without expansion for the rest of the scan', async () => {
    await using server = await serveList(disputes(250), (request) =>
      request.query.get('expand[0]') === null ? undefined : { error: { type: 'invalid_request_error' } },
    )
    const { items } = await scan(connectStripe(server.url, atNow), stripeCursor.initial(NOW))
    expect(items.length).toBe(250)
    expect(server.seen.map((request) => request.query.get('expand[0]'))).toEqual(['data.charge', null, null, null])
  })
})

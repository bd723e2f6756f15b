import { describe, expect, test } from 'vitest'
import { type StripeCursor, stripeCursor } from '../../../../adapters/stripe/cursor.ts'
import { connectStripe, type SeenRequest, sampleDispute, sendJson, startLoopback } from '../loopback.ts'

const NOW = new Date('2026-11-21T10:00:00Z')
const seconds = NOW.getTime() / 1000
const HOUR = 3_600

type Row = { id: string; created: number }
/** `count` disputes, newest first; the nth is `ageOf(n)` seconds old. */
const disputes = (count: number, ageOf = (n: number) => n * HOUR): Row[] =>
  Array.from({ length: count }, (_, n) => sampleDispute({ id: `dp_${n}`, created: seconds - ageOf(n) }) as never)

const inWindow = (rows: Row[], { query }: SeenRequest) => {
  const [from, before] = [
    Number(query.get('created[gte]')),
    Number(query.get('created[lt]') ?? Number.POSITIVE_INFINITY),
  ]
  return rows.filter(({ created }) => created >= from && created < before)
}

function serveList(rows: Row[]) {
  return startLoopback((request, response) => {
    const window = inWindow(rows, request)
    const after = request.query.get('starting_after')
    const start = after === null ? 0 : window.findIndex((row) => row.id === after) + 1
    if (after !== null && start === 0) return sendJson(response, 400, { error: { code: 'resource_missing' } })
    const data = window.slice(start, start + 100)
    return sendJson(response, 200, { object: 'list', data, has_more: start + data.length < window.length, url: '/' })
  })
}

const stored = (cursor: StripeCursor) => stripeCursor.schema.parse(JSON.parse(JSON.stringify(cursor)))
const windowsOf = (cursor: StripeCursor) => stripeCursor.windows?.(cursor) ?? []

/** Reads all windows at the same time, as the engine does; the pages are stored in the order that `pick` gives them. */
async function readAll(url: string, pick: (open: number) => number, now = NOW) {
  const adapter = connectStripe(url, { now: () => now })
  let cursor = stripeCursor.initial(now)
  const references: (string | null)[] = []
  const most = { windows: 0 }
  const open = new Map<string, ReturnType<typeof adapter.listDisputes>>()
  for (let first = true; first || open.size > 0; first = false) {
    if (first) open.set('', adapter.listDisputes({ cursor, oldestOpen: null }))
    const [window, reading] = [...open][pick(open.size)] as [string, ReturnType<typeof adapter.listDisputes>]
    const page = await reading
    open.delete(window)
    references.push(...page.items.map(({ reference }) => reference))
    cursor = stored(page.advance?.(cursor) ?? page.cursor)
    for (const one of windowsOf(cursor))
      if (!open.has(one)) open.set(one, adapter.listDisputes({ cursor, oldestOpen: null, window: one }))
    most.windows = Math.max(most.windows, windowsOf(cursor).length)
  }
  return { references, cursor, most: most.windows }
}

const ids = (rows: Row[]) => rows.map(({ id }) => id).toSorted()
const FIRST = () => 0
const LAST = (open: number) => open - 1
/** The same mixed order in every run. */
let turn = 0
const ANY = (open: number) => {
  turn = (turn * 31 + 7) % 101
  return turn % open
}

describe('a long first load', () => {
  test.each([
    ['the oldest request', FIRST],
    ['the latest request', LAST],
    ['any request', ANY],
  ])('is read in four windows at the same time, each dispute once, when %s is stored first', async (_, pick) => {
    const rows = disputes(4_000, (n) => n * HOUR)
    await using server = await serveList(rows)
    const { references, cursor, most } = await readAll(server.url, pick)
    expect(references.toSorted()).toEqual(ids(rows))
    expect(cursor).toEqual({ highWater: seconds, sweptAt: seconds, scan: null })
    expect(most).toBe(4)
  })

  test('is read once also by one request after the other, and costs a page for each window at most', async () => {
    const rows = disputes(4_000, (n) => n * HOUR)
    await using server = await serveList(rows)
    const adapter = connectStripe(server.url, { now: () => NOW })
    const references: (string | null)[] = []
    for (let cursor = stripeCursor.initial(NOW), hasMore = true; hasMore; ) {
      const page = await adapter.listDisputes({ cursor, oldestOpen: null })
      references.push(...page.items.map(({ reference }) => reference))
      ;[cursor, hasMore] = [stored(page.cursor), page.hasMore]
    }
    expect(references.toSorted()).toEqual(ids(rows))
    expect(server.seen.length).toBeLessThanOrEqual(40 + 8)
  })

  test('splits what is left again when a window ends before the others', async () => {
    // Nearly all are in the newest fifth of the time.
    const rows = disputes(4_000, (n) => (n < 3_800 ? n * 800 : 3_800 * 800 + (n - 3_800) * 50_000))
    await using server = await serveList(rows)
    const { references } = await readAll(server.url, FIRST)
    expect(references.toSorted()).toEqual(ids(rows))
    const tops = server.seen.filter(({ query }) => query.get('starting_after') === null)
    expect(tops.length).toBeGreaterThan(4)
  })

  test('has windows that neither overlap nor leave a second out, with many disputes in each second', async () => {
    const rows = disputes(3_000, (n) => Math.floor(n / 150) * 10 * HOUR)
    await using server = await serveList(rows)
    expect((await readAll(server.url, ANY)).references.toSorted()).toEqual(ids(rows))
    const adapter = connectStripe(server.url, { now: () => NOW })
    for (let cursor = stripeCursor.initial(NOW), hasMore = true; hasMore; ) {
      const page = await adapter.listDisputes({ cursor, oldestOpen: null })
      ;({ cursor, hasMore } = page)
      const { windows = [], from } = cursor.scan ?? {}
      for (const [index, window] of windows.slice(1).entries()) expect(window.before).toBe(windows[index]?.from)
      if (windows.length > 1) expect(windows.at(-1)?.from).toBe(from)
    }
  })

  test('loses none if a dispute that a page starts after is gone: that window is read again from its top', async () => {
    const rows = disputes(4_000, (n) => n * HOUR)
    await using server = await serveList(rows)
    let removed: Row | undefined
    const { references } = await readAll(server.url, (open) => {
      const after = server.seen.map(({ query }) => query.get('starting_after')).findLast((one) => one !== null)
      // The disputes after which the next pages start are the last ones of the pages before.
      if (open === 4 && removed === undefined && after !== null && after !== undefined)
        [removed] = rows.splice(rows.findIndex(({ id }) => id === after) + 100, 1)
      return 0
    })
    expect(removed).toBeDefined()
    expect([...new Set(references)].filter((id) => id !== removed?.id).toSorted()).toEqual(ids(rows))
  })
})

test('a list of twenty pages is read in one window, whatever its dates suggest', async () => {
  const rows = disputes(2_000, (n) => n * 60)
  await using server = await serveList(rows)
  const { references, most } = await readAll(server.url, FIRST)
  expect([references.length, most, server.seen.length]).toEqual([2_000, 1, 20])
})

test('a poll after it is not split: known pages keep their places', async () => {
  await using server = await serveList(disputes(3_000))
  const cursor = { highWater: seconds, sweptAt: seconds, scan: null }
  const adapter = connectStripe(server.url, { now: () => NOW })
  for (let at: StripeCursor = cursor, hasMore = true; hasMore; ) {
    const page = await adapter.listDisputes({ cursor: at, oldestOpen: new Date(0), known: new Map() })
    ;[at, hasMore] = [page.cursor, page.hasMore]
    expect(windowsOf(at).length).toBeLessThanOrEqual(1)
  }
  expect(server.seen).toHaveLength(30)
})

test('a page of a scan that was begun again meanwhile does not move the new one', async () => {
  await using server = await serveList(disputes(4_000, (n) => n * HOUR))
  const adapter = connectStripe(server.url, { now: () => NOW })
  const { cursor: old } = await adapter.listDisputes({ cursor: stripeCursor.initial(NOW), oldestOpen: null })
  const late = await adapter.listDisputes({ cursor: old, oldestOpen: null })
  const tomorrow = new Date(NOW.getTime() + 25 * HOUR * 1000)
  const again = await connectStripe(server.url, { now: () => tomorrow }).listDisputes({ cursor: old, oldestOpen: null })
  expect(again.cursor.scan?.startedAt).toBe(tomorrow.getTime() / 1000)
  expect(late.advance?.(again.cursor)).toEqual(again.cursor)
  expect(again.advance?.(late.cursor).scan?.startedAt).toBe(tomorrow.getTime() / 1000)
})

describe('an older cursor', () => {
  test('is used if it has this version, else the first load starts again', () => {
    const cursor = { highWater: 5, sweptAt: 6, scan: null }
    expect(stripeCursor.migrate({ version: 1, value: cursor })).toEqual(cursor)
    expect(stripeCursor.migrate({ version: 1, value: { highWater: 'x' } })).toBeNull()
    expect(stripeCursor.migrate({ version: 0, value: cursor })).toBeNull()
  })

  test('from before there were windows continues its scan where it was', async () => {
    await using server = await serveList(disputes(250))
    const begunThen = { from: 0, startedAt: seconds, sweep: true, after: 'dp_199', newest: seconds, pages: 2 }
    const cursor = stripeCursor.schema.parse({ highWater: null, sweptAt: null, scan: begunThen })
    const { items, cursor: after } = await connectStripe(server.url, { now: () => NOW }).listDisputes({
      cursor,
      oldestOpen: null,
    })
    expect(items.map((item) => item.reference)).toEqual(
      disputes(250)
        .slice(200)
        .map(({ id }) => id),
    )
    expect(after).toEqual({ highWater: seconds, sweptAt: seconds, scan: null })
  })
})

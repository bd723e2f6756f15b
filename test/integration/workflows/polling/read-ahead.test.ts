import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { DisputePage, RawObject } from '../../../../adapters/contract.ts'
import type { PspFetch } from '../../../../adapters/shared/psp-fetch.ts'
import { loadConnection } from '../../../../db/integrations/connections.ts'
import { takeLease } from '../../../../db/polling/lease.ts'
import { ingestPages } from '../../../../workflows/activities/polling/polling.ts'
import { until } from '../../../harness/until.ts'
import { openPollingFixture } from '../polling-fixture.ts'

let fixture: Awaited<ReturnType<typeof openPollingFixture>>
/** The abort signal of each poll. */
let signals: (AbortSignal | undefined)[] = []
/** Requests of all polls. */
let inFlight = { now: 0, most: 0 }
/** Changes what the PSP lists. */
let listedBy: (page: DisputePage<unknown>) => DisputePage<unknown> = (page) => page
beforeAll(async () => {
  fixture = await openPollingFixture({ faultPoints: true })
  const { adapterFor } = fixture.deps
  fixture.deps.adapterFor = (...named) => {
    const definition = adapterFor(...named)
    if (!definition) return definition
    return {
      ...definition,
      connect(context) {
        signals.push(context.signal)
        const counting: PspFetch = async (...request) => {
          inFlight.most = Math.max(inFlight.most, ++inFlight.now)
          return context.fetch(...request).finally(() => inFlight.now--)
        }
        const adapter = definition.connect({ ...context, fetch: counting })
        return { ...adapter, listDisputes: async (request) => listedBy(await adapter.listDisputes(request)) }
      },
    }
  }
})
afterAll(() => fixture[Symbol.asyncDispose]())
afterEach(() => {
  signals = []
  inFlight = { now: 0, most: 0 }
  fixture.hooks.atFaultPoint = async () => {}
  fixture.hooks.sent = () => {}
  listedBy = (page) => page
})

let accounts = 0
async function shopWith(count: number, ages: (number | undefined)[] = [undefined]) {
  const account = `acct_ahead${++accounts}`
  for (const ageDays of ages)
    await fixture.control('POST', '/disputes', { count, account, status: 'under_review', ...(ageDays && { ageDays }) })
  const shop = await fixture.merchantOf(account)
  const { integrationId } = shop
  /** List requests of this account: the dispute that each starts after, and whether the PSP responded. */
  const requests = () =>
    fixture.engine.ledger.calls
      .filter((call) => call.account === account && call.path === '/v1/disputes')
      .map(({ query, status }) => ({ after: new URLSearchParams(query).get('starting_after'), status }))
  const integration = () =>
    fixture.db
      .selectFrom('integration')
      .select(['cursor', 'lease_owner'])
      .where('integration_id', '=', integrationId)
      .executeTakeFirstOrThrow()
  const pages = async () => {
    const rows = fixture.db.selectFrom('list_page').select('page_key').where('integration_id', '=', integrationId)
    return (await rows.execute()).map((row) => row.page_key)
  }
  const references = async () => (await shop.all()).map((row) => row.chargeback_id)
  return { ...shop, requests, integration, pages, references }
}

/** The transaction of the nth page fails before its commit, when the PSP has responded with the page after it. */
function failPage(nth: number, responded: () => number): void {
  let commits = 0
  fixture.hooks.atFaultPoint = async (point) => {
    if (point !== 'poll.during_page' || ++commits !== nth) return
    await until('the next page was read', () => responded() > nth)
    throw new Error('the commit failed')
  }
}

describe('a page that was read ahead and not stored', () => {
  test('stores neither fingerprint nor cursor when the first page fails, and the next poll reads all', async () => {
    const shop = await shopWith(250)
    failPage(1, () => shop.requests().filter(({ status }) => status === 200).length)
    await expect(shop.poll()).rejects.toThrow('the commit failed')
    expect(shop.requests().filter(({ after }) => after === null)).toHaveLength(1)
    expect([await shop.integration(), await shop.pages(), await shop.references()]).toEqual([
      { cursor: null, lease_owner: null },
      [],
      [],
    ])
    await shop.poll()
    expect(await shop.references()).toHaveLength(250)
  })

  test('leaves the cursor at the page that was stored: the next poll continues there and loses none', async () => {
    const shop = await shopWith(350)
    failPage(2, () => shop.requests().filter(({ status }) => status === 200).length)
    await expect(shop.poll()).rejects.toThrow('the commit failed')
    const [first, second, third] = shop.requests()
    expect([first?.after, typeof second?.after, typeof third?.after]).toEqual([null, 'string', 'string'])
    expect(await shop.pages()).toEqual(['newest'])
    expect(await shop.integration()).toMatchObject({
      cursor: { scan: { windows: [{ after: second?.after }] } },
      lease_owner: null,
    })
    expect(await shop.references()).toHaveLength(100)
    await shop.poll()
    const afterFirst = shop.requests().filter(({ after }) => after === second?.after)
    expect([afterFirst, shop.requests().filter(({ after }) => after === null)]).toEqual([[second, second], [first]])
    expect(await shop.references()).toHaveLength(350)
    expect((await shop.pages()).toSorted()).toEqual(
      ['newest', ...shop.requests().flatMap(({ after }) => after ?? [])]
        .filter((key, index, all) => all.indexOf(key) === index)
        .toSorted(),
    )
  })

  test('is not awaited: its request is aborted with the poll', async () => {
    const shop = await shopWith(250)
    let hold = ''
    const isHeld = async () => (await fixture.control('GET', `/holds/${hold}`)).held.length === 1
    fixture.hooks.atFaultPoint = async (point) => {
      if (point === 'poll.before_next_page') {
        const match = { path: '/v1/disputes', method: 'GET' }
        hold = (await fixture.control('POST', '/holds', { match, count: 1 })).id
      }
      if (point !== 'poll.during_page') return
      await until('the PSP has the request', isHeld)
      throw new Error('the commit failed')
    }
    await expect(shop.poll()).rejects.toThrow('the commit failed')
    // The PSP has not responded yet.
    expect([await isHeld(), shop.requests().length]).toEqual([true, 1])
    expect(signals.map((signal) => signal?.aborted)).toEqual([true])
    await fixture.control('DELETE', `/holds/${hold}`)
    expect([await shop.integration(), await shop.pages()]).toEqual([{ cursor: null, lease_owner: null }, []])
  })
})

describe('while a page is written', () => {
  test('the next one is compared already, and written after it', async () => {
    const shop = await shopWith(250)
    let compared = 0
    fixture.hooks.sent = (text) => {
      if (text.includes('as seen(reference, hash, n)')) compared++
    }
    const stored: number[] = []
    fixture.hooks.atFaultPoint = async (point) => {
      if (point !== 'poll.during_page') return
      stored.push((await shop.references()).length)
      await until('the next page is compared', () => compared > Math.min(stored.length, 2))
    }
    await shop.poll()
    expect([stored, compared]).toEqual([[0, 100, 200], 3])
    expect(await shop.references()).toHaveLength(250)
  })

  test('a dispute of both pages is compared when the first is stored, and its later state is kept', async () => {
    const shop = await shopWith(150)
    let first: RawObject | undefined
    listedBy = (page) => {
      const [moved] = page.items
      if (!first) first = moved
      else if (moved) return { ...page, items: [...page.items, later(first)] }
      return page
    }
    await shop.poll()
    const rows = await shop.all()
    expect(rows).toHaveLength(150)
    expect(rows.filter((row) => row.psp_status === 'won').map((row) => row.chargeback_id)).toEqual([first?.reference])
  })
})

/** The same dispute, decided meanwhile. */
const later = ({ value: _, text, ...rest }: RawObject): RawObject => ({
  ...rest,
  text: text.replace('"status":"under_review"', '"status":"won"'),
})

describe('the windows of a long list', () => {
  const AGES = Array.from({ length: 30 }, (_, index) => 3 + index * 5)

  test('are read at the same time, and every dispute is stored', async () => {
    const shop = await shopWith(100, AGES)
    await shop.poll()
    expect(inFlight.most).toBe(4)
    expect(new Set(await shop.references()).size).toBe(3_000)
    expect((await shop.integration()).cursor).toMatchObject({ scan: null })
  })

  test.each([21, 22, 25])('continue where each was, after the commit of page %i failed', async (nth) => {
    const shop = await shopWith(100, AGES)
    const answered = () => shop.requests().filter(({ status }) => status === 200).length
    failPage(nth, answered)
    await expect(shop.poll()).rejects.toThrow('the commit failed')
    const { cursor } = await shop.integration()
    expect(cursor).toMatchObject({ scan: { pages: nth - 1 } })
    const before = answered()
    await shop.poll()
    expect(new Set(await shop.references()).size).toBe(3_000)
    expect(await shop.references()).toHaveLength(3_000)
    // What was stored is not read again, but for a page at the end of each window.
    expect(answered() - before).toBeLessThanOrEqual(31 - nth + 8)
  })
})

test('a slice whose time is over reads nothing ahead, and the next one continues', async () => {
  const shop = await shopWith(250)
  const { db, deps } = fixture
  const lease = await takeLease(db, shop.integrationId, 'a shard')
  const connection = await loadConnection(db, shop.integrationId)
  if (!lease || !connection) throw new Error('the integration is missing')
  const held = { connection, lease, sliceMs: -1, listed: false, moved: null }
  const slice = await fixture.run(() => ingestPages(deps, { integrationId: shop.integrationId }, held), {})
  expect(slice).toMatchObject({ pages: 1, seen: 100, done: false })
  expect(shop.requests()).toHaveLength(1)
  expect(signals.map((signal) => signal?.aborted)).toEqual([false])
  expect(await shop.integration()).toMatchObject({ cursor: { scan: { pages: 1 } }, lease_owner: 'a shard' })
  const rest = await loadConnection(db, shop.integrationId)
  if (!rest) throw new Error('the integration is missing')
  await fixture.run(
    () => ingestPages(deps, { integrationId: shop.integrationId }, { ...held, connection: rest, sliceMs: 60_000 }),
    {},
  )
  expect(await shop.references()).toHaveLength(250)
})

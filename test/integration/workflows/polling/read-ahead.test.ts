import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { RawObject } from '../../../../adapters/contract.ts'
import { loadConnection } from '../../../../db/integrations/connections.ts'
import { takeLease } from '../../../../db/polling/lease.ts'
import { ingestPages } from '../../../../workflows/activities/polling/polling.ts'
import { until } from '../../../harness/until.ts'
import { openReadAheadFixture } from './read-ahead-fixture.ts'

let fixture: Awaited<ReturnType<typeof openReadAheadFixture>>
beforeAll(async () => {
  fixture = await openReadAheadFixture()
})
afterAll(() => fixture[Symbol.asyncDispose]())
afterEach(() => fixture.reset())

describe('a page that was read ahead and not stored', () => {
  test('stores neither fingerprint nor cursor when the first page fails, and the next poll reads all', async () => {
    const shop = await fixture.shopWith(250)
    shop.failPage(1)
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
    const shop = await fixture.shopWith(350)
    shop.failPage(2)
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
    const shop = await fixture.shopWith(250)
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
    expect([...fixture.observed.signals].map((signal) => signal?.aborted)).toEqual([true])
    await fixture.control('DELETE', `/holds/${hold}`)
    expect([await shop.integration(), await shop.pages()]).toEqual([{ cursor: null, lease_owner: null }, []])
  })
})

describe('while a page is written', () => {
  test('the next one is compared already, and written after it', async () => {
    const shop = await fixture.shopWith(250)
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
    const shop = await fixture.shopWith(150)
    let first: RawObject | undefined
    fixture.observed.listedBy = (page) => {
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

test('a page with news waits for the commands of its process twice, and an unchanged one does not', async () => {
  const shop = await fixture.shopWith(150)
  let waits = 0
  const waiting: (() => void)[] = []
  const wait = () => {
    waits++
    return new Promise<void>((resolve) => waiting.push(resolve))
  }
  const end = () => {
    for (const resolve of waiting.splice(0)) resolve()
  }
  fixture.deps.commandsFirst = { step() {}, wait }
  let compared = 0
  fixture.hooks.sent = (text) => {
    if (text.includes('as seen(reference, hash, n)')) compared++
  }
  const poll = shop.poll()
  await until('the first page waits, and the second one was read', () => waits === 1 && shop.answered() === 2)
  expect([compared, await shop.references()]).toEqual([0, []])
  end()
  await until('the first page waits to be written, and the second one to be compared', () => waits === 3)
  expect([compared, await shop.references()]).toEqual([1, []])
  end()
  await until('the second page waits to be written', () => waits === 4)
  expect([compared, (await shop.references()).length]).toEqual([2, 100])
  end()
  await poll
  expect([waits, (await shop.references()).length]).toEqual([4, 150])
  await shop.poll()
  expect(waits).toBe(4)
})

/** The same dispute, decided meanwhile. */
const later = ({ value: _, text, ...rest }: RawObject): RawObject => ({
  ...rest,
  text: text.replace('"status":"under_review"', '"status":"won"'),
})

test('a slice whose time is over reads nothing ahead, and the next one continues', async () => {
  const shop = await fixture.shopWith(250)
  const { db, deps } = fixture
  const lease = await takeLease(db, shop.integrationId, 'a shard')
  const connection = await loadConnection(db, shop.integrationId)
  if (!lease || !connection) throw new Error('the integration is missing')
  const held = { connection, lease, sliceMs: -1, listed: false, moved: null }
  const slice = await fixture.run(() => ingestPages(deps, { integrationId: shop.integrationId }, held), {})
  expect(slice).toMatchObject({ pages: 1, seen: 100, done: false })
  expect(shop.requests()).toHaveLength(1)
  expect([...fixture.observed.signals].map((signal) => signal?.aborted)).toEqual([false])
  expect(await shop.integration()).toMatchObject({ cursor: { scan: { pages: 1 } }, lease_owner: 'a shard' })
  const rest = await loadConnection(db, shop.integrationId)
  if (!rest) throw new Error('the integration is missing')
  await fixture.run(
    () => ingestPages(deps, { integrationId: shop.integrationId }, { ...held, connection: rest, sliceMs: 60_000 }),
    {},
  )
  expect(await shop.references()).toHaveLength(250)
})

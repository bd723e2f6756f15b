import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createEventBell } from '../../../api/routes/events/event-bell.ts'
import { listen } from '../../../db/core/listen.ts'
import { EVENT_CHANNEL } from '../../../db/events/positions.ts'
import { expireEvents } from '../../../db/events/retention.ts'
import { until } from '../../harness/until.ts'
import { addChargeback, addIntegration } from '../api/chargebacks/chargeback-rows.ts'
import { type Events, openEvents } from './events-fixture.ts'

const bell = createEventBell()
/** Reads that were begun by requests. */
let reads = 0
const countingBell = {
  ...bell,
  expect(merchantUuid: string) {
    reads++
    return bell.expect(merchantUuid)
  },
}

let on: Events
let listening: AsyncDisposable
beforeAll(async () => {
  on = await openEvents({ events: countingBell })
  let isConnected = () => {}
  const connected = new Promise<void>((resolve) => {
    isConnected = resolve
  })
  listening = listen(on.stage.database.url, EVENT_CHANNEL, (merchant) => {
    isConnected()
    bell.ring(merchant)
  })
  await connected
})
afterAll(async () => {
  await listening[Symbol.asyncDispose]()
  await on[Symbol.asyncDispose]()
})

const get = (query: string, options = {}) => on.stage.call('GET', `/v1/events?${query}`, options)

describe('GET /v1/events', () => {
  test('a consumer that was down reads on from its cursor and misses nothing, in pages', async () => {
    const id = await addChargeback(on.stage.db, on.at)
    await on.settle()
    const cursor = await on.latest()
    for (let n = 0; n < 25; n++) await on.note(id, 'details changed', { cardScheme: 'visa' })
    await on.settle()
    const read: { sequence: string; type: string }[] = []
    let after = cursor
    for (let hasMore = true; hasMore; ) {
      const { body } = await get(`after=${after}`)
      read.push(...body.data)
      ;({ hasMore, nextCursor: after } = body)
    }
    expect(read.length).toBe(25)
    expect(new Set(read.map((one) => one.sequence)).size).toBe(25)
    expect(read.map((one) => BigInt(one.sequence))).toEqual(
      [...read.map((one) => BigInt(one.sequence))].sort(ascending),
    )
    expect((await get(`after=${after}`)).body).toMatchObject({ data: [], hasMore: false })
  })

  test('an event has the chargeback as its GET shows it, and what happened', async () => {
    const id = await addChargeback(on.stage.db, on.at, { psp_status: 'lost', reason: 'fraudulent' })
    const cursor = await on.latest()
    await on.note(id, 'pspStatus changed', { pspStatus: 'lost' })
    await on.settle()
    const { body } = await get(`after=${cursor}`)
    expect(body.data).toEqual([
      {
        id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
        type: 'chargeback.lost',
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
        sequence: expect.stringMatching(/^\d+$/),
        referenceAccountId: on.stage.referenceId,
        data: {
          chargeback: (await on.stage.call('GET', `/v1/chargebacks/${id}`)).body.data,
          changes: [{ what: 'pspStatus changed', source: 'stripe', after: { pspStatus: 'lost' } }],
        },
      },
    ])
    const [event] = body.data
    expect((await on.stage.call('GET', `/v1/events/${event.id}`)).body.data).toEqual(event)
  })

  test('types select; the cursor goes on behind events of other types', async () => {
    const id = await addChargeback(on.stage.db, on.at)
    const cursor = await on.latest('chargeback.won,acceptance.*')
    await on.note(id, 'details changed')
    await on.note(id, 'pspStatus changed', { pspStatus: 'won' })
    await on.settle()
    const { body } = await get(`after=${cursor}&types=acceptance.*,chargeback.won`)
    expect(body.data.map((one: { type: string }) => one.type)).toEqual(['chargeback.won'])
    await on.note(id, 'details changed')
    await on.settle()
    const next = await get(`after=${body.nextCursor}&types=acceptance.*,chargeback.won`)
    expect(next.body.data).toEqual([])
    expect(next.body.nextCursor).not.toBe(body.nextCursor)
  })

  test('no event of another merchant is read, by list, id or a row that points there', async () => {
    const { merchantUuid } = await on.stage.newMerchant(on.stage.accountId)
    const other = { merchantUuid, integrationId: await addIntegration(on.stage.db, on.stage.ring, merchantUuid) }
    const cursor = await on.latest()
    const foreign = await addChargeback(on.stage.db, other)
    await on.note(foreign, 'details changed', null, null, other)
    await on.settle()
    const { eventId } = await on.stage.db
      .selectFrom('event')
      .select('event_id as eventId')
      .where('subject', '=', foreign)
      .executeTakeFirstOrThrow()
    expect((await get(`after=${cursor}`)).body.data).toEqual([])
    const missing = await on.stage.call('GET', `/v1/events/evt_${eventId.replaceAll('-', '')}`)
    expect([missing.status, missing.body.code]).toEqual([404, 'event_not_found'])
    await on.stage.db
      .updateTable('event')
      .set({ merchant_uuid: on.at.merchantUuid })
      .where('event_id', '=', eventId)
      .execute()
    const pointed = await get(`after=${cursor}`)
    expect(pointed.body.data).toEqual([])
    expect(pointed.text).not.toContain(foreign)
    expect((await on.stage.call('GET', `/v1/events/evt_${eventId.replaceAll('-', '')}`)).status).toBe(404)
  })

  test.each([
    ['types=chargeback.lots', 'validation_failed'],
    ['types=', 'validation_failed'],
    ['wait=26', 'validation_failed'],
    ['wait=-1', 'validation_failed'],
    ['limit=9', 'validation_failed'],
    ['after=1', 'invalid_cursor'],
    ['page=2', 'validation_failed'],
  ])('%s is refused', async (query, code) => {
    const { status, body } = await get(query)
    expect([status, body.code]).toEqual([400, code])
    expect(body.message).toMatch(new RegExp(`^${query.split('=')[0]}: `))
  })

  test('a cursor of another merchant, of other types, or of another list is refused', async () => {
    const { merchantUuid } = await on.stage.newMerchant(on.stage.accountId)
    const { token } = await on.stage.issue({ accountId: on.stage.accountId, scope: 'merchant', merchantUuid })
    const foreign = (await get('after=latest', { token })).body.nextCursor
    for (const [query, options] of [
      [`after=${foreign}`, {}],
      [`after=${await on.latest('chargeback.won')}`, {}],
      [`after=${await on.latest()}&types=chargeback.won`, {}],
      [`after=${await on.latest()}`, { token }],
    ] as const) {
      const { status, body } = await get(query, options)
      expect([status, body.code]).toEqual([400, 'invalid_cursor'])
    }
  })

  test('a cursor from before the oldest event is refused with the way out; without a cursor the log begins there', async () => {
    const id = await addChargeback(on.stage.db, on.at)
    await on.note(id, 'details changed')
    await on.settle()
    const cursor = (await get('limit=10')).body.nextCursor
    await on.note(id, 'details changed')
    await on.settle()
    await on.stage.db
      .updateTable('event')
      .set({ occurred_at: new Date(Date.now() - 31 * 24 * 3600 * 1000) })
      .execute()
    await on.note(id, 'reason changed', { reason: 'The data asked for is complete enough.' })
    await on.settle()
    while ((await expireEvents(on.stage.db, { days: 30, limit: 10 })) > 0);
    const { status, body } = await get(`after=${cursor}`)
    expect([status, body.code]).toEqual([410, 'events_expired'])
    expect(body.message).toContain('after=latest')
    const all = (await get('')).body.data
    expect(all.map((one: { data: { changes: object[] } }) => one.data.changes)).toEqual([
      [{ what: 'reason changed', source: 'stripe', after: { reason: 'The data asked for is complete enough.' } }],
    ])
    const swept = await on.stage.db.selectFrom('retention_sweep').selectAll().where('kind', '=', 'event').execute()
    expect(Number(swept[0]?.deleted)).toBeGreaterThan(25)
  })
})

describe('wait', () => {
  test('an event ends it at once, and no connection is held meanwhile', async () => {
    const id = await addChargeback(on.stage.db, on.at)
    await on.settle()
    const cursor = await on.latest()
    const started = performance.now()
    const before = reads
    const answers = Promise.all(Array.from({ length: 20 }, () => get(`after=${cursor}&wait=25`)))
    await until(
      'all have read once',
      () => reads === before + 20 && on.stage.db.pool.idleCount === on.stage.db.pool.totalCount,
    )
    await on.note(id, 'details changed')
    await on.settle()
    const read = await answers
    expect(read.map(({ body }) => body.data.length)).toEqual(read.map(() => 1))
    expect(performance.now() - started).toBeLessThan(20_000)
  })

  test('without an event it ends with an empty page', async () => {
    const { body } = await get(`after=${await on.latest()}&wait=1`)
    expect(body).toMatchObject({ data: [], hasMore: false, nextCursor: expect.any(String) })
  })
})

const ascending = (a: bigint, b: bigint) => (a < b ? -1 : 1)

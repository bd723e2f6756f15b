import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createEventBell } from '../../../api/routes/events/event-bell.ts'
import { listen } from '../../../db/core/listen.ts'
import { sequencerLag } from '../../../db/events/fresh-rows.ts'
import { EVENT_CHANNEL } from '../../../db/events/positions.ts'
import { expireEvents } from '../../../db/events/retention.ts'
import { sequence } from '../../../webhooks/sequence.ts'
import { until } from '../../harness/until.ts'
import { addChargeback, addIntegration, type Place } from '../api/chargebacks/chargeback-rows.ts'
import { createStage, type Stage } from '../api/stage.ts'

let stage: Stage
let at: Place
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
let listening: AsyncDisposable
beforeAll(async () => {
  stage = await createStage({ events: countingBell })
  const { db, ring, merchantUuid } = stage
  at = { merchantUuid, integrationId: await addIntegration(db, ring, merchantUuid) }
  await db
    .updateTable('integration')
    .set({ first_loaded_at: new Date(0), last_successful_poll_at: new Date(0) })
    .execute()
  let isConnected = () => {}
  const connected = new Promise<void>((resolve) => {
    isConnected = resolve
  })
  listening = listen(stage.database.url, EVENT_CHANNEL, (merchant) => {
    isConnected()
    bell.ring(merchant)
  })
  await connected
})
afterAll(async () => {
  await listening[Symbol.asyncDispose]()
  await stage[Symbol.asyncDispose]()
})

const note = (chargebackId: string, what: string, after: object | null = null, place = at) =>
  stage.db
    .insertInto('timeline_event')
    .values({
      ...{ merchant_uuid: place.merchantUuid, chargeback_id: chargebackId, source: 'stripe', what },
      ...{ before: null, after: JSON.stringify(after) },
    })
    .execute()
const settle = () =>
  until('nothing waits for a position', async () => {
    await sequence(stage.db)
    const lines = await stage.db.selectFrom('event_line').select('event_line_id').execute()
    return lines.length === 0 && (await sequencerLag(stage.db)) === 0
  })
const get = (query: string, options = {}) => stage.call('GET', `/v1/events?${query}`, options)
const latest = async (types = '') => (await get(`after=latest${types && `&types=${types}`}`)).body.nextCursor as string

describe('GET /v1/events', () => {
  test('a consumer that was down reads on from its cursor and misses nothing, in pages', async () => {
    const id = await addChargeback(stage.db, at)
    await settle()
    const cursor = await latest()
    for (let n = 0; n < 25; n++) await note(id, 'details changed', { cardScheme: 'visa' })
    await settle()
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
    const id = await addChargeback(stage.db, at, { psp_status: 'lost', reason: 'fraudulent' })
    const cursor = await latest()
    await note(id, 'pspStatus changed', { pspStatus: 'lost' })
    await settle()
    const { body } = await get(`after=${cursor}`)
    expect(body.data).toEqual([
      {
        id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
        type: 'chargeback.lost',
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
        sequence: expect.stringMatching(/^\d+$/),
        referenceAccountId: stage.referenceId,
        data: {
          chargeback: (await stage.call('GET', `/v1/chargebacks/${id}`)).body.data,
          changes: [{ what: 'pspStatus changed', source: 'stripe', after: { pspStatus: 'lost' } }],
        },
      },
    ])
    const [event] = body.data
    expect((await stage.call('GET', `/v1/events/${event.id}`)).body.data).toEqual(event)
  })

  test('types select; the cursor goes on behind events of other types', async () => {
    const id = await addChargeback(stage.db, at)
    const cursor = await latest('chargeback.won,acceptance.*')
    await note(id, 'details changed')
    await note(id, 'pspStatus changed', { pspStatus: 'won' })
    await settle()
    const { body } = await get(`after=${cursor}&types=acceptance.*,chargeback.won`)
    expect(body.data.map((one: { type: string }) => one.type)).toEqual(['chargeback.won'])
    await note(id, 'details changed')
    await settle()
    const next = await get(`after=${body.nextCursor}&types=acceptance.*,chargeback.won`)
    expect(next.body.data).toEqual([])
    expect(next.body.nextCursor).not.toBe(body.nextCursor)
  })

  test('no event of another merchant is read, by list, id or a row that points there', async () => {
    const { merchantUuid } = await stage.newMerchant(stage.accountId)
    const other = { merchantUuid, integrationId: await addIntegration(stage.db, stage.ring, merchantUuid) }
    const cursor = await latest()
    const foreign = await addChargeback(stage.db, other)
    await note(foreign, 'details changed', null, other)
    await settle()
    const { eventId } = await stage.db
      .selectFrom('event')
      .select('event_id as eventId')
      .where('subject', '=', foreign)
      .executeTakeFirstOrThrow()
    expect((await get(`after=${cursor}`)).body.data).toEqual([])
    const missing = await stage.call('GET', `/v1/events/evt_${eventId.replaceAll('-', '')}`)
    expect([missing.status, missing.body.code]).toEqual([404, 'event_not_found'])
    await stage.db
      .updateTable('event')
      .set({ merchant_uuid: at.merchantUuid })
      .where('event_id', '=', eventId)
      .execute()
    const pointed = await get(`after=${cursor}`)
    expect(pointed.body.data).toEqual([])
    expect(pointed.text).not.toContain(foreign)
    expect((await stage.call('GET', `/v1/events/evt_${eventId.replaceAll('-', '')}`)).status).toBe(404)
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
    const { merchantUuid } = await stage.newMerchant(stage.accountId)
    const { token } = await stage.issue({ accountId: stage.accountId, scope: 'merchant', merchantUuid })
    const foreign = (await get('after=latest', { token })).body.nextCursor
    for (const [query, options] of [
      [`after=${foreign}`, {}],
      [`after=${await latest('chargeback.won')}`, {}],
      [`after=${await latest()}&types=chargeback.won`, {}],
      [`after=${await latest()}`, { token }],
    ] as const) {
      const { status, body } = await get(query, options)
      expect([status, body.code]).toEqual([400, 'invalid_cursor'])
    }
  })

  test('a cursor from before the oldest event is refused with the way out; without a cursor the log begins there', async () => {
    const id = await addChargeback(stage.db, at)
    await note(id, 'details changed')
    await settle()
    const cursor = (await get('limit=10')).body.nextCursor
    await note(id, 'details changed')
    await settle()
    await stage.db
      .updateTable('event')
      .set({ occurred_at: new Date(Date.now() - 31 * 24 * 3600 * 1000) })
      .execute()
    await note(id, 'reason changed', { reason: 'The data asked for is complete enough.' })
    await settle()
    while ((await expireEvents(stage.db, { days: 30, limit: 10 })) > 0);
    const { status, body } = await get(`after=${cursor}`)
    expect([status, body.code]).toEqual([410, 'events_expired'])
    expect(body.message).toContain('after=latest')
    const all = (await get('')).body.data
    expect(all.map((one: { data: { changes: object[] } }) => one.data.changes)).toEqual([
      [{ what: 'reason changed', source: 'stripe', after: { reason: 'The data asked for is complete enough.' } }],
    ])
    const swept = await stage.db.selectFrom('retention_sweep').selectAll().where('kind', '=', 'event').execute()
    expect(Number(swept[0]?.deleted)).toBeGreaterThan(25)
  })
})

describe('wait', () => {
  test('an event ends it at once, and no connection is held meanwhile', async () => {
    const id = await addChargeback(stage.db, at)
    await settle()
    const cursor = await latest()
    const started = performance.now()
    const before = reads
    const answers = Promise.all(Array.from({ length: 20 }, () => get(`after=${cursor}&wait=25`)))
    await until(
      'all have read once',
      () => reads === before + 20 && stage.db.pool.idleCount === stage.db.pool.totalCount,
    )
    await note(id, 'details changed')
    await settle()
    const read = await answers
    expect(read.map(({ body }) => body.data.length)).toEqual(read.map(() => 1))
    expect(performance.now() - started).toBeLessThan(20_000)
  })

  test('without an event it ends with an empty page', async () => {
    const { body } = await get(`after=${await latest()}&wait=1`)
    expect(body).toMatchObject({ data: [], hasMore: false, nextCursor: expect.any(String) })
  })
})

const ascending = (a: bigint, b: bigint) => (a < b ? -1 : 1)

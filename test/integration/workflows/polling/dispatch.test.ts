import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { hurryPoll, leaseDue } from '../../../../db/polling/due.ts'
import { requestReread } from '../../../../db/polling/rereads.ts'
import { jitterOf, offsetOf } from '../../../../db/polling/slots.ts'
import { until } from '../../../harness/until.ts'
import { EVERY_MS, openShardFixture, PACE } from './shard-fixture.ts'

let fixture: Awaited<ReturnType<typeof openShardFixture>>
let shop: typeof fixture.shop

beforeAll(async () => {
  fixture = await openShardFixture()
  shop = fixture.shop
})
afterAll(() => fixture[Symbol.asyncDispose]())
afterEach(() => fixture.clear())

describe('a shard', () => {
  test('polls due integrations, records the polls, and releases their leases until the next slot', async () => {
    const ids = await fixture.dueIntegrations(3)
    const points: { point: string; about: string | undefined }[] = []
    shop.hooks.atFaultPoint = async (point, about) => void points.push({ point, about })
    const result = await fixture.shardUntil('all are polled', fixture.allPolled(ids))
    for (const point of ['poll.before_page', 'poll.during_page', 'poll.before_end']) {
      const passed = points.filter((one) => one.point === point).map(({ about }) => about)
      expect([point, ...passed.toSorted()]).toEqual([point, ...ids.toSorted()])
    }
    expect(result).toMatchObject({ polled: 3, failed: 0, unfinished: 0, created: 6, seen: 6 })
    expect(result.withNews.sort()).toEqual([...ids].sort())
    for (const row of await fixture.rowsOf(ids)) {
      expect(row).toMatchObject({ lease_owner: null, lease_until: null, poll_failures: 0, poll_error: null })
      expect(row.last_successful_poll_at).not.toBeNull()
      expect(row.poll_workflow).not.toBeNull()
      const [polledAt, next] = [row.polled_at?.getTime() ?? 0, row.next_poll_at?.getTime() ?? 0]
      expect(next).toBeGreaterThan(polledAt)
      // The slot that a schedule would have, plus jitter.
      const late = (next - offsetOf(row.integration_id, EVERY_MS)) % EVERY_MS
      expect(late).toBeLessThanOrEqual(jitterOf(EVERY_MS))
      expect(next - polledAt).toBeLessThanOrEqual(EVERY_MS + jitterOf(EVERY_MS))
    }
  })

  test('takes leases and records polls in batches, not for each poll', async () => {
    const ids = await fixture.dueIntegrations(8)
    await fixture.shardUntil('all are polled', fixture.allPolled(ids))
    await shop.db
      .updateTable('integration')
      .set({ next_poll_at: sql`now()`, polled_at: null })
      .where('integration_id', 'in', ids)
      .execute()
    const sent: string[] = []
    shop.hooks.sent = (text) => sent.push(text)
    expect(await fixture.shardUntil('all are polled again', fixture.allPolled(ids))).toMatchObject({
      polled: 8,
      created: 0,
    })
    shop.hooks.sent = () => {}
    const like = (part: RegExp) => sent.filter((text) => part.test(text)).length
    expect(like(/set "lease_owner"|set "polled_at"/)).toBe(0)
    expect(like(/from "integration" as "i" inner join "merchant"/)).toBe(1)
    expect(like(/set lease_owner = null/)).toBeLessThan(8)
    // One reads what waits for these integrations, the other their stored pages. The polls send no more.
    expect(like(/chargeback|reread|list_page/)).toBe(2)
    expect(like(/rate_bucket/)).toBeLessThan(8)
  })

  test('a dispute that is named while its integration waits for its poll is read by the next one, at once', async () => {
    const [id = ''] = await fixture.dueIntegrations(1)
    await fixture.shardUntil('it is polled', fixture.allPolled([id]))
    const of = (table: 'chargeback' | 'reread') =>
      shop.db.selectFrom(table).selectAll().where('integration_id', '=', id).execute()
    const [named] = (await of('chargeback')) as { chargeback_id: string }[]
    let polls = 0
    shop.hooks.atFaultPoint = async (point) => {
      if (point !== 'poll.before_page' || polls++ > 0) return
      await requestReread(shop.db, id, [named?.chargeback_id ?? ''])
      await hurryPoll(shop.db, id)
    }
    await shop.db.deleteFrom('list_page').where('integration_id', '=', id).execute()
    await fixture.makeDue(id)
    const isDue = async () => Number((await fixture.rowOf(id)).next_poll_at) <= Date.now()
    await fixture.shardUntil(
      'the dispute is read, and no poll is due',
      async () => polls > 0 && (await of('reread')).length === 0 && !(await isDue()),
    )
  })

  test('skips integrations that are paused, FAILED, deactivated or polled by a schedule', async () => {
    const ids = await fixture.dueIntegrations(5)
    const [paused = '', failed = '', ended = '', scheduled = '', open = ''] = ids
    const set = (id: string, values: object) =>
      shop.db.updateTable('integration').set(values).where('integration_id', '=', id).execute()
    await set(paused, { paused: true })
    await set(failed, { status: 'FAILED' })
    await set(ended, { deactivation_date: sql`now()` })
    await set(scheduled, { next_poll_at: null })
    await fixture.shardUntil('the open one is polled', fixture.allPolled([open]))
    expect((await fixture.rowsOf([paused, failed, ended, scheduled])).map((row) => row.polled_at)).toEqual([
      null,
      null,
      null,
      null,
    ])
  })

  test('a PSP that fails delays its integration more each time, and no other', async () => {
    const [failing = '', healthy = ''] = await fixture.dueIntegrations(2)
    const { externalIdentifier } = { externalIdentifier: (await fixture.rowOf(failing)).external_identifier }
    shop.hooks.atFaultPoint = async (point, about) => {
      if (point === 'poll.before_page' && about === failing) throw new Error(`${externalIdentifier} fails`)
    }
    const failedTimes = (times: number) => async () =>
      (await fixture.rowOf(failing)).poll_failures === times && !(await fixture.rowOf(failing)).lease_owner
    const first = await fixture.shardUntil('it failed', failedTimes(1))
    expect(first).toMatchObject({ failed: 1, withProblems: [failing] })
    await until('the other one is polled', fixture.allPolled([healthy]))
    const delay = async () => ((await fixture.rowOf(failing)).next_poll_at?.getTime() ?? 0) - Date.now()
    expect(await delay()).toBeGreaterThan(PACE.retryMs / 2)
    await fixture.makeDue(failing)
    await fixture.shardUntil('it failed again', failedTimes(2))
    expect(await delay()).toBeGreaterThan(PACE.retryMs * 1.5)
    shop.hooks.atFaultPoint = async () => {}
    await fixture.makeDue(failing)
    await fixture.shardUntil('it is polled', fixture.allPolled([failing]))
    expect(await fixture.rowOf(failing)).toMatchObject({ poll_failures: 0, poll_error: null })
  })

  test('a poll that hangs is aborted without the others, and its lease is released', async () => {
    const [hanging = '', healthy = ''] = await fixture.dueIntegrations(2)
    shop.hooks.atFaultPoint = (point, about) =>
      point === 'poll.before_page' && about === hanging ? new Promise(() => {}) : Promise.resolve()
    const result = await fixture.shardUntil('both ended', fixture.allPolled([hanging, healthy]), {
      ...PACE,
      heartbeatMs: 700,
    })
    expect(result).toMatchObject({ polled: 1, failed: 1, withProblems: [hanging] })
    expect(await fixture.rowOf(hanging)).toMatchObject({
      ...{ poll_error: 'The PSP did not respond in time.', lease_owner: null, last_successful_poll_at: null },
    })
  })

  test('a lease lost between fetch and write: nothing is written, and the poll of the new owner counts', async () => {
    const [id = ''] = await fixture.dueIntegrations(1, { disputes: 3 })
    const merchant = (await fixture.rowOf(id)).merchant_uuid
    const stored = async () =>
      (await shop.db.selectFrom('chargeback').selectAll().where('merchant_uuid', '=', merchant).execute()).length
    let taken = 0
    shop.hooks.atFaultPoint = async (point, about) => {
      if (point !== 'poll.before_page' || about !== id || taken++ > 0) return
      // The lease expires after the page was fetched, and another shard takes it.
      await fixture.makeDue(id)
      const [lease] = await leaseDue(shop.db, { owner: 'another', limit: 1, retryMs: 1, takeover: null })
      expect(lease?.integrationId).toBe(id)
    }
    const result = await fixture.shardUntil(
      'another shard took it',
      async () => taken > 0 && (await fixture.rowOf(id)).lease_owner === 'another',
    )
    expect(result).toMatchObject({ polled: 0, failed: 0, created: 0 })
    expect(await stored()).toBe(0)
    expect(await fixture.rowOf(id)).toMatchObject({ lease_owner: 'another', poll_workflow: null, polled_at: null })
    await fixture.makeDue(id)
    await fixture.shardUntil('it is polled', fixture.allPolled([id]))
    expect(await stored()).toBe(3)
  })

  test('an integration that is deactivated during its poll keeps no lease, and gets nothing more', async () => {
    const [id = ''] = await fixture.dueIntegrations(1, { disputes: 3 })
    const { merchant_uuid: merchant } = await fixture.rowOf(id)
    let deactivated = false
    shop.hooks.atFaultPoint = async (point, about) => {
      if (point !== 'poll.before_page' || about !== id || deactivated) return
      await shop.db.updateTable('integration').set({ status: 'INACTIVE' }).where('integration_id', '=', id).execute()
      deactivated = true
    }
    await fixture.shardUntil(
      'its lease is back',
      async () => deactivated && (await fixture.rowOf(id)).lease_owner === null,
    )
    expect(await fixture.rowOf(id)).toMatchObject({
      status: 'INACTIVE',
      lease_until: null,
      last_successful_poll_at: null,
    })
    const stored = shop.db.selectFrom('chargeback').select('id').where('merchant_uuid', '=', merchant)
    expect(await stored.execute()).toEqual([])
  })

  test('a retried attempt takes over the leases of the previous one; another run waits until they expire', async () => {
    const ids = await fixture.dueIntegrations(3)
    const mine = { runId: 'run-1', workflowId: 'poll-shard:1-now' }
    expect(await leaseDue(shop.db, { owner: mine.runId, limit: 10, retryMs: 1, takeover: null })).toHaveLength(3)
    await until('they are due for a retry', async () =>
      (await fixture.rowsOf(ids)).every((row) => (row.next_poll_at ?? 0) <= new Date()),
    )
    expect(await leaseDue(shop.db, { owner: 'run-2', limit: 10, retryMs: 1, takeover: { held: [] } })).toEqual([])
    const info = { attempt: 2, workflowExecution: mine }
    expect(await fixture.shardUntil('all are polled', fixture.allPolled(ids), PACE, info)).toMatchObject({
      polled: 3,
      created: 6,
    })
  })

  test('runs at most four polls of one merchant at once, and sixteen in all', async () => {
    const own = await fixture.dueIntegrations(6, { disputes: 1, oneMerchant: true })
    const ids = [...own, ...(await fixture.dueIntegrations(16, { disputes: 1 }))]
    const longest = sql<Date>`next_poll_at - interval '1 hour'`
    await shop.db.updateTable('integration').set({ next_poll_at: longest }).where('integration_id', 'in', own).execute()
    const at = new Set<string>()
    const most = { own: 0, all: 0 }
    let open = false
    shop.hooks.atFaultPoint = async (point, about = '') => {
      if (point !== 'poll.before_page') return
      at.add(about)
      most.all = Math.max(most.all, at.size)
      most.own = Math.max(most.own, own.filter((one) => at.has(one)).length)
      await until('it may continue', () => open || at.size >= 16)
      open = true
      at.delete(about)
    }
    await fixture.shardUntil('all are polled', fixture.allPolled(ids))
    expect(most).toEqual({ own: 4, all: 16 })
  })

  test('releases leases whose polls have not started when the worker stops, due at once', async () => {
    const ids = await fixture.dueIntegrations(20, { disputes: 1 })
    let held = 0
    shop.hooks.atFaultPoint = async (point) => {
      if (point !== 'poll.before_page') return
      held++
      await until('the worker stops', () => shop.hooks.stopping)
    }
    const result = await fixture.shardUntil('sixteen are running', async () => held === 16)
    expect(result.polled).toBe(16)
    const left = (await fixture.rowsOf(ids)).filter((row) => row.polled_at === null)
    expect(left).toHaveLength(4)
    for (const row of left) {
      expect(row).toMatchObject({ lease_owner: null, poll_failures: 0, poll_workflow: null })
      expect(row.next_poll_at?.getTime()).toBeLessThanOrEqual(Date.now())
    }
  })
})

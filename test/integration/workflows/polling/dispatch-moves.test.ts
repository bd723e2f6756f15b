import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { enterDispatch, leaveDispatch } from '../../../../db/polling/dispatched.ts'
import { hurryPoll, leaseDue, pollLagSeconds, recordPolls } from '../../../../db/polling/due.ts'
import { jitterOf, offsetOf } from '../../../../db/polling/slots.ts'
import { wantedMode } from '../../../../workflows/starters/poll-modes.ts'
import { EVERY_MS, openShardFixture, PACE } from './shard-fixture.ts'

let fixture: Awaited<ReturnType<typeof openShardFixture>>
let shop: typeof fixture.shop

beforeAll(async () => {
  fixture = await openShardFixture()
  shop = fixture.shop
})
afterAll(() => fixture[Symbol.asyncDispose]())
afterEach(() => fixture.clear())

describe('a requested poll', () => {
  test('is due at once, and once more if a poll is running', async () => {
    const [id = ''] = await fixture.dueIntegrations(1)
    await sql`update integration set next_poll_at = now() + interval '1 hour' where integration_id = ${id}`.execute(
      shop.db,
    )
    expect(await hurryPoll(shop.db, id)).toEqual({ paused: false })
    let polls = 0
    shop.hooks.atFaultPoint = async (point) => {
      if (point === 'poll.before_page' && polls++ === 0) await hurryPoll(shop.db, id)
    }
    await fixture.shardUntil(
      'it was polled twice',
      async () => polls === 2 && (await fixture.rowOf(id)).lease_owner === null,
    )
    expect((await fixture.rowOf(id)).next_poll_at?.getTime()).toBeGreaterThan(Date.now())
    expect(await hurryPoll(shop.db, '0198c5a4-1111-7d60-9a55-2f4b1f6f7d10')).toBeNull()
  })
})

describe('operators', () => {
  test('see how long the most overdue poll has waited', async () => {
    expect(await pollLagSeconds(shop.db)).toBe(0)
    const [first = ''] = await fixture.dueIntegrations(2)
    const hour = sql<Date>`now() - interval '1 hour'`
    await shop.db.updateTable('integration').set({ next_poll_at: hour }).where('integration_id', '=', first).execute()
    expect(await pollLagSeconds(shop.db)).toBeGreaterThanOrEqual(3_600)
    await shop.db.updateTable('integration').set({ paused: true }).execute()
    expect(await pollLagSeconds(shop.db)).toBe(0)
  })

  test('who choose `auto` get shards above 20 polls a second, and schedules again below 15', async () => {
    const ids = await fixture.dueIntegrations(3)
    const mode = (perSecond: number) => {
      const polling = { choice: 'auto' as const, intervalSeconds: ids.length / perSecond, pace: PACE }
      return wantedMode({ db: shop.db, temporal: {} as never, polling })
    }
    expect([await mode(21), await mode(18), await mode(14)]).toEqual(['dispatch', 'dispatch', 'schedules'])
    for (const id of ids) await leaveDispatch(shop.db, id)
    expect([await mode(21), await mode(18)]).toEqual(['dispatch', 'schedules'])
  })
})

describe('an integration that moves between schedules and shards', () => {
  const lastSlot = (id: string, now: number) => now - ((now - offsetOf(id, EVERY_MS)) % EVERY_MS)
  const rhythm = { everyMs: EVERY_MS }

  test.each([
    ['at its next slot when its current slot was polled', 'polled', false],
    ['at once when it was not', 'unpolled', true],
    ['at its next slot when a poll is running', 'leased', false],
  ])('is polled by shards %s', async (_, state, atOnce) => {
    const [id = ''] = await fixture.dueIntegrations(1)
    const slot = lastSlot(id, Date.now())
    await shop.db
      .updateTable('integration')
      .set({
        next_poll_at: null,
        polled_at: state === 'polled' ? sql`now()` : new Date(slot - 1_000),
        ...(state === 'leased' && { lease_owner: 'poll', lease_until: sql`now() + interval '1 minute'` }),
      })
      .where('integration_id', '=', id)
      .execute()
    expect(await enterDispatch(shop.db, { integrationIds: [id] }, rhythm)).toBe(1)
    const next = (await fixture.rowOf(id)).next_poll_at?.getTime() ?? 0
    if (atOnce) expect(next).toBeLessThanOrEqual(Date.now())
    else {
      expect(next).toBeGreaterThan(Date.now())
      expect((next - offsetOf(id, EVERY_MS)) % EVERY_MS).toBeLessThanOrEqual(jitterOf(EVERY_MS))
    }
    expect(await enterDispatch(shop.db, { integrationIds: [id] }, rhythm)).toBe(0)
  })

  test('leaves the shards, and its running poll is recorded without bringing it back', async () => {
    const [id = '', waiting = '', polled = ''] = await fixture.dueIntegrations(3)
    await sql`update integration set next_poll_at = now() + interval '1 minute' where integration_id = ${polled}`.execute(
      shop.db,
    )
    const [poll] = await leaseDue(shop.db, { owner: 'run', limit: 1, retryMs: 1, takeover: null })
    if (!poll) throw new Error('nothing was due')
    expect(poll.integrationId).toBe(id)
    expect(await leaveDispatch(shop.db, id)).toEqual({ due: false })
    expect(await leaveDispatch(shop.db, waiting)).toEqual({ due: true })
    expect(await leaveDispatch(shop.db, polled)).toEqual({ due: false })
    expect(await leaveDispatch(shop.db, polled)).toBeNull()
    const done = { poll, result: 'done' as const, listed: true, reason: null, moved: null }
    await recordPolls(shop.db, [done], { workflowId: 'poll-shard:1', retryMs: 1, everyMs: EVERY_MS })
    expect(await fixture.rowOf(id)).toMatchObject({ next_poll_at: null, lease_owner: null })
    expect((await fixture.rowOf(id)).last_successful_poll_at).not.toBeNull()
  })
})

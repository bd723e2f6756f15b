import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { open, sealContext } from '../../../db/core/seal.ts'
import { pollScheduleId } from '../../../workflows/contract.ts'
import { chargebackOf } from '../../harness/rows.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { allHistories, allRows } from '../../harness/traces.ts'
import { until } from '../../harness/until.ts'
import { listeningIntegration, webhookSecret } from './stripe-hooks.ts'

let stack: Stack
type Listening = Awaited<ReturnType<typeof listeningIntegration>>
let hook: Listening
beforeAll(async () => {
  // Scheduled polls run once an hour: what appears here was caused by a notification.
  stack = await startStack()
  hook = await listeningIntegration(stack)
})
afterAll(() => stack[Symbol.asyncDispose]())

/** Calls of the list since the call with that id; and the newest id. */
const listCalls = async (after = 0) => {
  const { calls } = (await stack.control('GET', `/calls?path=/v1/disputes&after=${after}`)).body
  const lists = calls.filter((call: { path: string }) => call.path === '/v1/disputes')
  return { count: lists.length, last: calls.at(-1)?.id ?? after }
}
const allRead = () => until('nothing is left to read', hook.rereads, { holds: (rows) => rows.length === 0 })

describe('a notification', () => {
  test('of an unknown dispute stores it within seconds', async () => {
    const ref = await hook.create({ amount: 12.34, currency: 'usd' })
    expect(await hook.deliver({ ref })).toEqual([200])
    const found = await until('it is stored', () => stack.call('GET', `/chargebacks?chargebackId=${ref}`), {
      holds: ({ body }) => body.data.length === 1,
      timeoutMs: 10_000,
    })
    expect(found.body.data[0]).toMatchObject({ amount: 12.34, pspStatus: 'needs_response' })
    await allRead()
    expect((await hook.row()).notification_at).toBeInstanceOf(Date)
  })

  test('of a change makes Recoup read the current state at the PSP, not that in the notification', async () => {
    const ref = await hook.create()
    await hook.deliver({ ref })
    const { id } = await chargebackOf(stack, ref)
    await stack.control('POST', `/disputes/${ref}/decide`, { outcome: 'lost' })
    // Only the oldest event is delivered: created, needs response.
    const { body } = await stack.control('POST', '/notifications', {
      url: hook.url,
      account: hook.account,
      ref,
      count: 9,
      mutate: 'reordered',
    })
    expect(body.deliveries.map((one: { status: number }) => one.status)).not.toContain(401)
    await until('the loss is seen', () => chargebackOf(stack, ref), {
      holds: (one) => one.pspStatus === 'lost',
      timeoutMs: 10_000,
    })
    const statuses = await stack.db
      .selectFrom('timeline_event')
      .select('after')
      .where('chargeback_id', '=', id as string)
      .where('what', '=', 'pspStatus changed')
      .execute()
    expect(statuses).toHaveLength(1)
  })

  test('repeated ten times concurrently is stored once and causes no further poll', async () => {
    const ref = await hook.create()
    const before = (await hook.stored()).length
    const statuses = await hook.deliver({ ref, mutate: 'replayed', count: 10 })
    expect(statuses).toEqual(Array(10).fill(200))
    await chargebackOf(stack, ref)
    await allRead()
    const requested = () => stack.db.selectFrom('outbox').select('kind').where('kind', '=', 'poll_now').execute()
    await until('the relay has handled the requests', requested, { holds: (rows) => rows.length === 0 })
    expect(await hook.deliver({ ref, mutate: 'replayed', count: 3 })).toEqual([200, 200, 200])
    expect((await hook.stored()).length - before).toBe(1)
    expect(await hook.rereads()).toEqual([])
    expect(await requested()).toEqual([])
  })

  test('in a burst causes few polls, and every dispute of it is read', async () => {
    const refs = await Promise.all(Array.from({ length: 30 }, () => hook.create()))
    const { last } = await listCalls()
    expect(new Set(await hook.deliver({ count: 30 }))).toEqual(new Set([200]))
    for (const ref of refs) await chargebackOf(stack, ref)
    await allRead()
    // Each is read individually, and listed by a handful of polls, not by thirty.
    expect((await listCalls(last)).count).toBeLessThan(15)
  })

  test('about a dispute that the PSP does not know is dropped, and an operator can see it', async () => {
    // Polls are off, so that no list shows the dispute before it is deleted.
    await stack.db
      .updateTable('integration')
      .set({ status: 'FAILED' })
      .where('integration_id', '=', hook.integrationId)
      .execute()
    const schedule = stack.temporal.schedule.getHandle(pollScheduleId(hook.integrationId))
    await until('no poll is running', async () => (await schedule.describe()).info.runningActions.length === 0)
    const ref = await hook.create()
    const other = await hook.create()
    await hook.deliver({ ref })
    await stack.control('DELETE', `/disputes/${ref}`)
    await stack.db
      .updateTable('integration')
      .set({ status: 'SUCCESSFUL' })
      .where('integration_id', '=', hook.integrationId)
      .execute()
    await hook.deliver({ ref: other })
    await chargebackOf(stack, other)
    await allRead()
    const rows = await stack.db.selectFrom('quarantine').selectAll().where('reference', '=', ref).execute()
    expect(rows).toMatchObject([
      { integration_id: hook.integrationId, reason: expect.stringContaining('does not know it') },
    ])
  })

  test('about a dispute that cannot be read now does not delay others, and is read later', async () => {
    const failing = await hook.create()
    const healthy = await hook.create()
    await hook.deliver({ ref: failing })
    await chargebackOf(stack, failing)
    await allRead()
    await stack.control('POST', `/disputes/${failing}/decide`, { outcome: 'lost' })
    await stack.control('POST', '/faults', {
      kind: '500',
      count: 1,
      match: { method: 'GET', path: `/v1/disputes/${failing}` },
    })
    await hook.deliver({ ref: failing })
    await hook.deliver({ ref: healthy })
    await chargebackOf(stack, healthy)
    // The list shows it, but the request stays until the dispute itself was read.
    await until('the failed read waits', hook.rereads, {
      holds: (rows) => rows.length === 1 && rows[0]?.attempts === 1,
    })
    await stack.db
      .updateTable('reread')
      .set({ next_attempt_at: new Date(0) })
      .execute()
    await hook.deliver({ ref: healthy, mutate: 'reordered', count: 1 })
    await stack.db
      .insertInto('outbox')
      .values({ kind: 'poll_now', payload: { integrationId: hook.integrationId } })
      .execute()
    await allRead()
    expect(await chargebackOf(stack, failing)).toMatchObject({ pspStatus: 'lost' })
  })
})

describe('a notification that is not genuine', () => {
  const refused = async () => Number((await hook.row()).notifications_refused)

  test.each(['forged', 'stale'])('%s: 401, counted, nothing stored', async (mutate) => {
    const ref = await hook.create()
    const [before, stored] = [await refused(), (await hook.stored()).length]
    expect(await hook.deliver({ ref, mutate })).toEqual([401])
    await until('it is counted', refused, { holds: (count) => count === before + 1 })
    expect((await hook.stored()).length).toBe(stored)
    expect(await hook.rereads()).toEqual([])
  })

  test('signed for another integration: 401 there, although the signing secret is the same', async () => {
    const other = await listeningIntegration(stack)
    const ref = await hook.create()
    expect(await hook.deliver({ ref }, other.url)).toEqual([401])
    expect(await other.stored()).toEqual([])
    expect(await hook.deliver({ ref })).toEqual([200])
  })

  test('for an unknown or INACTIVE integration or one without a secret gets the same response', async () => {
    const silent = await stack.connectStripe({ externalIdentifier: 'acct_silent' })
    const inactive = await listeningIntegration(stack)
    await stack.db
      .updateTable('integration')
      .set({ status: 'INACTIVE' })
      .where('integration_id', '=', inactive.integrationId)
      .execute()
    const base = hook.url.slice(0, hook.url.lastIndexOf('/'))
    const results: { result: unknown; ms: number }[] = []
    for (const id of [hook.integrationId, randomUUID(), silent, inactive.integrationId, 'nonsense', "'--"]) {
      const started = performance.now()
      const response = await fetch(`${base}/${id}`, {
        method: 'POST',
        body: '{"id":"evt_1"}',
        headers: { 'stripe-signature': 't=1,v1=00', 'content-type': 'application/json' },
      })
      const { errorId, ...body } = (await response.json()) as Record<string, unknown>
      expect(errorId).toMatch(/^[0-9a-f-]{36}$/)
      results.push({ result: { status: response.status, body }, ms: performance.now() - started })
    }
    for (const { result, ms } of results) {
      expect(result).toEqual(results[0]?.result)
      expect(ms).toBeGreaterThan(95)
    }
    expect(results[0]?.result).toMatchObject({ status: 401, body: { code: 'notification_not_genuine', status: 401 } })
  })

  test('gets 413 above a megabyte, 405 for other methods, and 400 for a GET without a challenge', async () => {
    expect((await fetch(hook.url)).status).toBe(400)
    const large = await fetch(hook.url, { method: 'POST', body: 'x'.repeat(1_048_577) })
    expect(large.status).toBe(413)
    expect((await fetch(hook.url, { method: 'PUT' })).status).toBe(405)
  })
})

describe('a stored notification', () => {
  test('has a sealed body: no secret and no person is in any table, history or log line', async () => {
    const [row] = (await hook.stored()).toReversed()
    const body = open(stack.ring, row?.sealed as string, sealContext.rawObject(hook.integrationId))
    expect(JSON.parse(body)).toMatchObject({ object: 'event' })
    // Text that each event contains, and the secret that signed it.
    const marks = ['"object":"event"', 'livemode', webhookSecret]
    const places = [
      ...(await allRows(stack)).filter(({ table }) => table !== 'quarantine').map(({ text }) => text),
      ...(await allHistories(stack)).map(({ text }) => text),
      stack.lines().join('\n'),
    ]
    expect(body).toContain('livemode')
    for (const place of places) for (const mark of marks) expect(place.includes(mark)).toBe(false)
  })
})

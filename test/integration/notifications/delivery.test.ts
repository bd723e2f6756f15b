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
  // Polls by the clock alone would come once an hour: whatever shows up here was told.
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
const settled = () => until('nothing is left to read', hook.rereads, { holds: (rows) => rows.length === 0 })

describe('a notification', () => {
  test('of a dispute never seen brings it within seconds', async () => {
    const ref = await hook.create({ amount: 12.34, currency: 'usd' })
    expect(await hook.deliver({ ref })).toEqual([200])
    const found = await until('it is there', () => stack.call('GET', `/chargebacks?chargebackId=${ref}`), {
      holds: ({ body }) => body.data.length === 1,
      timeoutMs: 10_000,
    })
    expect(found.body.data[0]).toMatchObject({ amount: 12.34, pspStatus: 'needs_response' })
    await settled()
    expect((await hook.row()).notification_at).toBeInstanceOf(Date)
  })

  test('of a change makes Recoup read what the PSP has now, not what the notification says', async () => {
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

  test('repeated ten times at once is stored once and asks for nothing more', async () => {
    const ref = await hook.create()
    const before = (await hook.stored()).length
    const answers = await hook.deliver({ ref, mutate: 'replayed', count: 10 })
    expect(answers).toEqual(Array(10).fill(200))
    await chargebackOf(stack, ref)
    await settled()
    const asked = () => stack.db.selectFrom('outbox').select('kind').where('kind', '=', 'poll_now').execute()
    await until('the relay has taken what was asked for', asked, { holds: (rows) => rows.length === 0 })
    expect(await hook.deliver({ ref, mutate: 'replayed', count: 3 })).toEqual([200, 200, 200])
    expect((await hook.stored()).length - before).toBe(1)
    expect(await hook.rereads()).toEqual([])
    expect(await asked()).toEqual([])
  })

  test('in a burst asks for few polls, and every dispute of it is read', async () => {
    const refs = await Promise.all(Array.from({ length: 30 }, () => hook.create()))
    const { last } = await listCalls()
    expect(new Set(await hook.deliver({ count: 30 }))).toEqual(new Set([200]))
    for (const ref of refs) await chargebackOf(stack, ref)
    await settled()
    // One by one they are read, and listed by a handful of polls, not by thirty.
    expect((await listCalls(last)).count).toBeLessThan(15)
  })

  test('about a dispute that the PSP does not know is dropped, and an operator can see it', async () => {
    // Nothing is polled, so that no list shows it before it is gone.
    await stack.db
      .updateTable('integration')
      .set({ status: 'FAILED' })
      .where('integration_id', '=', hook.integrationId)
      .execute()
    const schedule = stack.temporal.schedule.getHandle(pollScheduleId(hook.integrationId))
    await until('no poll is at work', async () => (await schedule.describe()).info.runningActions.length === 0)
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
    await settled()
    const rows = await stack.db.selectFrom('quarantine').selectAll().where('reference', '=', ref).execute()
    expect(rows).toMatchObject([
      { integration_id: hook.integrationId, reason: expect.stringContaining('does not know it') },
    ])
  })

  test('about a dispute that can not be read now keeps no other waiting, and is read later', async () => {
    const bad = await hook.create()
    const good = await hook.create()
    await hook.deliver({ ref: bad })
    await chargebackOf(stack, bad)
    await settled()
    await stack.control('POST', `/disputes/${bad}/decide`, { outcome: 'lost' })
    await stack.control('POST', '/faults', {
      kind: '500',
      count: 1,
      match: { method: 'GET', path: `/v1/disputes/${bad}` },
    })
    await hook.deliver({ ref: bad })
    await hook.deliver({ ref: good })
    await chargebackOf(stack, good)
    // The list shows it; what was asked for stays until it was read itself.
    await until('the failed reading waits', hook.rereads, {
      holds: (rows) => rows.length === 1 && rows[0]?.attempts === 1,
    })
    await stack.db
      .updateTable('reread')
      .set({ next_attempt_at: new Date(0) })
      .execute()
    await hook.deliver({ ref: good, mutate: 'reordered', count: 1 })
    await stack.db
      .insertInto('outbox')
      .values({ kind: 'poll_now', payload: { integrationId: hook.integrationId } })
      .execute()
    await settled()
    expect(await chargebackOf(stack, bad)).toMatchObject({ pspStatus: 'lost' })
  })
})

describe('what is not genuine', () => {
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

  test('an unknown integration, one without a signing secret and one that is gone answer like a bad signature', async () => {
    const silent = await stack.connectStripe({ externalIdentifier: 'acct_silent' })
    const gone = await listeningIntegration(stack)
    await stack.db
      .updateTable('integration')
      .set({ status: 'INACTIVE' })
      .where('integration_id', '=', gone.integrationId)
      .execute()
    const base = hook.url.slice(0, hook.url.lastIndexOf('/'))
    const answers: { answer: unknown; ms: number }[] = []
    for (const id of [hook.integrationId, randomUUID(), silent, gone.integrationId, 'nonsense', "'--"]) {
      const started = performance.now()
      const response = await fetch(`${base}/${id}`, {
        method: 'POST',
        body: '{"id":"evt_1"}',
        headers: { 'stripe-signature': 't=1,v1=00', 'content-type': 'application/json' },
      })
      const { errorId, ...body } = (await response.json()) as Record<string, unknown>
      expect(errorId).toMatch(/^[0-9a-f-]{36}$/)
      answers.push({ answer: { status: response.status, body }, ms: performance.now() - started })
    }
    for (const { answer, ms } of answers) {
      expect(answer).toEqual(answers[0]?.answer)
      expect(ms).toBeGreaterThan(95)
    }
    expect(answers[0]?.answer).toMatchObject({ status: 401, body: { code: 'notification_not_genuine', status: 401 } })
  })

  test('413 above a megabyte; 405 for other methods; a challenge has a name', async () => {
    expect((await fetch(hook.url)).status).toBe(400)
    const large = await fetch(hook.url, { method: 'POST', body: 'x'.repeat(1_048_577) })
    expect(large.status).toBe(413)
    expect((await fetch(hook.url, { method: 'PUT' })).status).toBe(405)
  })
})

describe('what a notification leaves behind', () => {
  test('its body is sealed: no secret and no person in any table, history or log line', async () => {
    const [row] = (await hook.stored()).toReversed()
    const body = open(stack.ring, row?.sealed as string, sealContext.rawObject(hook.integrationId))
    expect(JSON.parse(body)).toMatchObject({ object: 'event' })
    // The text of an event as a whole, and the secret that signed it.
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

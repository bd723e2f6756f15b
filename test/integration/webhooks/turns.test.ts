import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { leaseEndpoint } from '../../../db/webhooks/leases.ts'
import { answer, type Receiver, receive, receiveRaw } from './receivers.ts'
import { openWebhooks, type WebhookStage } from './webhook-stage.ts'

let webhooks: WebhookStage
const receivers: AsyncDisposable[] = []
const served = async <One extends AsyncDisposable>(one: Promise<One>): Promise<One> => {
  receivers.push(await one)
  return one
}
beforeEach(async () => {
  webhooks = await openWebhooks()
})
afterEach(async () => {
  for (const one of receivers.splice(0)) await one[Symbol.asyncDispose]()
  await webhooks[Symbol.asyncDispose]()
})

const idsOf = ({ captured }: Receiver) => captured.map(({ headers }) => headers['webhook-id'])
const evt = (id: string) => `evt_${id.replaceAll('-', '')}`
const statesOf = async (id: string) => (await webhooks.deliveries(id)).map((one: { state: string }) => one.state)

describe('a turn', () => {
  test('sends what is due in its order, signed, and ends the lease', async () => {
    const receiver = await served(receive())
    const { id, secret } = await webhooks.create(receiver.url)
    const ids = await webhooks.events(3)
    expect(await webhooks.turn()).toBe(id)
    expect(idsOf(receiver).toSorted()).toEqual(ids.map(evt).toSorted())
    for (const { headers, body } of receiver.captured) {
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({ word: 'Überfall 🦊' })
      expect(headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Recoup-Webhooks/1' })
    }
    expect(await webhooks.turn()).toBeNull()
    expect(await webhooks.read(id)).toMatchObject({ state: 'enabled', pending: 0, lastSuccessAt: expect.any(String) })
    const [first] = await webhooks.deliveries(id)
    expect(first).toMatchObject({ state: 'delivered', attempts: [{ status: 200 }] })
    expect(webhooks.counts).toEqual(ids.map(() => ['delivered', expect.any(Number)]))
  })

  test('has at most twenty deliveries, four at once; the next turn has the others', async () => {
    const receiver = await served(receive((_request, response) => setTimeout(() => response.end(), 5)))
    await webhooks.create(receiver.url)
    await webhooks.events(25)
    await webhooks.turn()
    expect(receiver.captured).toHaveLength(20)
    await webhooks.turn()
    expect(new Set(idsOf(receiver)).size).toBe(25)
    expect(receiver.mostAtOnce()).toBe(4)
    expect(await webhooks.turn()).toBeNull()
  })

  test('sends only the types that the endpoint names, of its merchant, and no quiet ones', async () => {
    const [all, lost, other] = [await served(receive()), await served(receive()), await served(receive())]
    await webhooks.create(all.url, { events: ['chargeback.*'] })
    await webhooks.create(lost.url, { events: ['chargeback.lost', 'alert.*'] })
    const { accountId } = webhooks.stage
    const second = await webhooks.stage.newMerchant(accountId, 'second')
    const account = await webhooks.stage.issue({ accountId, scope: 'account' })
    await webhooks.create(other.url, {}, { token: account.token, merchant: 'second' })
    const whole = await served(receive())
    await webhooks.create(whole.url, {}, { token: account.token })
    const [updated] = await webhooks.events(1)
    const [chargebackLost] = await webhooks.events(1, { type: 'chargeback.lost' })
    const [alert] = await webhooks.events(1, { type: 'alert.created' })
    await webhooks.events(1, { quiet: true })
    const [foreign] = await webhooks.events(1, { merchantUuid: second.merchantUuid })
    while (await webhooks.turn());
    const sorted = (ids: (string | undefined)[]) => ids.map((one) => evt(one ?? '')).toSorted()
    expect(idsOf(all).toSorted()).toEqual(sorted([updated, chargebackLost]))
    expect(idsOf(lost).toSorted()).toEqual(sorted([chargebackLost, alert]))
    expect(idsOf(other)).toEqual(sorted([foreign]))
    expect(idsOf(whole).toSorted()).toEqual(sorted([updated, chargebackLost, alert, foreign]))
  })

  test('of a merchant that was deactivated before the event sends nothing', async () => {
    const receiver = await served(receive())
    await webhooks.create(receiver.url)
    await sql`update merchant set deactivated_at = now() - interval '1 minute', deactivation_date = now()`.execute(
      webhooks.stage.db,
    )
    await webhooks.events(1)
    const [last] = await webhooks.events(1, { type: 'merchant.deactivated' })
    while (await webhooks.turn());
    expect(idsOf(receiver)).toEqual([evt(last ?? '')])
  })

  test('an event that comes during a turn is not forgotten', async () => {
    const late: string[] = []
    const receiver = await served(
      receive(async (_request, response) => {
        if (late.length === 0) late.push(...(await webhooks.events(1)))
        response.end()
      }),
    )
    await webhooks.create(receiver.url)
    const [first] = await webhooks.events(1)
    await webhooks.turn()
    expect(await webhooks.turn()).not.toBeNull()
    expect(idsOf(receiver)).toEqual([evt(first ?? ''), evt(late[0] ?? '')])
  })

  test('whose process died is repeated after its lease, with the same id and a new timestamp', async () => {
    const receiver = await served(receive())
    const { id } = await webhooks.create(receiver.url)
    const [event] = await webhooks.events(1)
    expect((await leaseEndpoint(webhooks.stage.db))?.endpointId).toBe(id)
    expect(await webhooks.turn()).toBeNull()
    await sql`update webhook_endpoint set lease_until = now(), due_at = now()`.execute(webhooks.stage.db)
    await webhooks.turn()
    expect(idsOf(receiver)).toEqual([evt(event ?? '')])
  })

  test('of a process that lost its lease stores nothing', async () => {
    const receiver = await served(
      receive(async (_request, response) => {
        await sql`update webhook_endpoint set lease = lease + 1`.execute(webhooks.stage.db)
        response.end()
      }),
    )
    const { id } = await webhooks.create(receiver.url)
    await webhooks.events(1)
    await webhooks.turn()
    expect(await statesOf(id)).toEqual(['pending'])
  })
})

describe('a receiver that fails', () => {
  test('with 500 gets the event again by its schedule, others pass it, and the tenth attempt is the last', async () => {
    let [poison] = ['']
    const receiver = await served(
      receive((request, response) => answer(request.headers['webhook-id'] === poison ? 500 : 200)(request, response)),
    )
    const { id } = await webhooks.create(receiver.url)
    poison = (await webhooks.events(1)).map(evt)[0] ?? ''
    await webhooks.turn()
    const [waiting] = await webhooks.deliveries(id)
    expect(waiting).toMatchObject({ state: 'pending', attempts: [{ status: 500 }] })
    const pause = Date.parse(waiting.nextAttemptAt) - Date.parse(waiting.attempts[0].at)
    expect(pause).toBeGreaterThan(4_500)
    expect(pause).toBeLessThan(7_500)
    const others = await webhooks.events(3)
    await webhooks.turn()
    expect(await statesOf(id)).toEqual(['delivered', 'delivered', 'delivered', 'pending'])
    for (let attempt = 2; attempt <= 10; attempt++) {
      await webhooks.hurry()
      await webhooks.turn()
    }
    const [failed] = await webhooks.deliveries(id, '&state=failed')
    expect(failed).toMatchObject({ eventId: poison, state: 'failed' })
    expect(failed.attempts).toHaveLength(10)
    expect(receiver.captured).toHaveLength(10 + others.length)
    await webhooks.hurry()
    expect(await webhooks.turn()).toBeNull()
  })

  test('by 429 with Retry-After gets nothing until then', async () => {
    const receiver = await served(receive(answer(429, { 'retry-after': '120' })))
    const { id } = await webhooks.create(receiver.url)
    await webhooks.events(10)
    await webhooks.turn()
    // Those in flight with it.
    expect(receiver.captured.length).toBeLessThanOrEqual(4)
    expect(await webhooks.turn()).toBeNull()
    await webhooks.events(1)
    expect(await webhooks.turn()).toBeNull()
    const { rows } = await sql<{ pause: number }>`
      select extract(epoch from due_at - now())::float8 as pause from webhook_endpoint where endpoint_id = ${id}`.execute(
      webhooks.stage.db,
    )
    expect(rows[0]?.pause).toBeGreaterThan(100)
  })

  test('by 410 is disabled: what waits is cancelled, and the log has it', async () => {
    const receiver = await served(receive(answer(410)))
    const { id } = await webhooks.create(receiver.url)
    await webhooks.events(30)
    await webhooks.turn()
    expect(await webhooks.read(id)).toMatchObject({ state: 'disabled', disabledReason: 'gone', pending: 0 })
    expect(new Set(await statesOf(id))).toEqual(new Set(['cancelled']))
    const { rows } = await sql`select merchant_uuid, type, subject from event_line`.execute(webhooks.stage.db)
    expect(rows).toEqual([
      { merchant_uuid: webhooks.stage.merchantUuid, type: 'webhook_endpoint.disabled', subject: id },
    ])
    const sent = receiver.captured.length
    await webhooks.events(1)
    expect(await webhooks.turn()).toBeNull()
    expect(receiver.captured).toHaveLength(sent)
    expect(webhooks.lines).toContainEqual(['warn webhook endpoint disabled', { endpointId: id, reason: 'gone' }])
  })

  test('that is not reached is tried with one event from time to time; the others keep their attempts', async () => {
    let isUp = false
    const receiver = await served(
      receive((request, response) => (isUp ? answer(204)(request, response) : response.destroy())),
    )
    const { id } = await webhooks.create(receiver.url)
    await webhooks.events(8)
    await webhooks.turn()
    expect(await webhooks.read(id)).toMatchObject({ state: 'failing', lastFailure: { kind: 'connection_lost' } })
    const sent = receiver.captured.length
    await webhooks.hurry()
    await webhooks.turn()
    expect(receiver.captured).toHaveLength(sent + 1)
    isUp = true
    await webhooks.hurry()
    await webhooks.turn()
    expect(await webhooks.read(id)).toMatchObject({ state: 'enabled', pending: 7 })
    await webhooks.hurry()
    await webhooks.turn()
    expect(await webhooks.read(id)).toMatchObject({ state: 'enabled', pending: 0 })
  })

  test('for five days is disabled; old events are given up before', async () => {
    const receiver = await served(receive(answer(500)))
    const { id } = await webhooks.create(receiver.url)
    await webhooks.events(2)
    const { db } = webhooks.stage
    await sql`update webhook_endpoint set failures = 40, failing_since = now() - interval '5 days'`.execute(db)
    await sql`update webhook_delivery set created_at = now() - interval '77 hours'
      where delivery_id = (select min(delivery_id) from webhook_delivery)`.execute(db)
    await webhooks.turn()
    expect(await statesOf(id)).toEqual(['cancelled', 'failed'])
    expect(receiver.captured).toHaveLength(1)
    expect(await webhooks.read(id)).toMatchObject({ state: 'disabled', disabledReason: 'unreachable' })
  })

  test('by a redirect to the inside reaches nothing there', async () => {
    let hits = 0
    const honeypot = await served(receiveRaw(() => hits++))
    const receiver = await served(receive(answer(302, { location: honeypot.url })))
    const { id } = await webhooks.create(receiver.url)
    await webhooks.events(1)
    await webhooks.turn()
    expect((await webhooks.deliveries(id))[0]).toMatchObject({ state: 'pending', attempts: [{ status: 302 }] })
    expect(hits).toBe(0)
  })
})

test('an endpoint whose wake-up was lost is found by the sweep', async () => {
  const receiver = await served(receive())
  await webhooks.create(receiver.url)
  await webhooks.events(1)
  await sql`update webhook_endpoint set due_at = null`.execute(webhooks.stage.db)
  await using _engine = webhooks.engine()
  await expect.poll(() => receiver.captured.length, { timeout: 10_000 }).toBe(1)
})

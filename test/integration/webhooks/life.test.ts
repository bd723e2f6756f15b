import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { exampleTestEvent, testEvent } from '../../../api/routes/events/test-event.ts'
import { sequencerLag } from '../../../db/events/fresh-rows.ts'
import { fanOut } from '../../../db/webhooks/fan-out.ts'
import { countEndpoints, countPending, longestWait } from '../../../db/webhooks/gauges.ts'
import { leaseEndpoint } from '../../../db/webhooks/leases.ts'
import { createPoster } from '../../../webhooks/post.ts'
import { renderDeliveries } from '../../../webhooks/render-deliveries.ts'
import { sequence } from '../../../webhooks/sequence.ts'
import { runTurn } from '../../../webhooks/turn.ts'
import { until } from '../../harness/until.ts'
import { addChargeback, type Place, stageWithIntegration } from '../api/chargebacks/chargeback-rows.ts'
import { RECEIVERS, type Stage } from '../api/stage.ts'
import { answer, type Receiver, receive } from './receivers.ts'

let stage: Stage
let at: Place
let receiver: Receiver
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
  receiver = await receive()
})
afterAll(async () => {
  await receiver[Symbol.asyncDispose]()
  await stage[Symbol.asyncDispose]()
})

/** Gives everything its position. Transactions of other tests on the same server may hold that up. */
const sequenced = () =>
  until('nothing waits for a position', async () => {
    await sequence(stage.db, fanOut)
    const lines = await stage.db.selectFrom('event_line').select('event_line_id').execute()
    return lines.length === 0 && (await sequencerLag(stage.db)) === 0
  })

/** What a worker does: positions, deliveries, and turns until nothing is due. */
async function work(): Promise<void> {
  const { db, ring } = stage
  await sequenced()
  using poster = createPoster({ ...RECEIVERS, timeoutMs: 2_000 })
  const log = { info() {}, warn() {} }
  const deps = { db, ring, poster, log, now: () => new Date(), counted() {}, render: renderDeliveries(db) }
  for (let one = await leaseEndpoint(db); one; one = await leaseEndpoint(db)) await runTurn(deps, one)
}

const create = async (url: string, more: object = {}) =>
  (await stage.call('POST', '/v1/webhook-endpoints', { body: { url, events: ['*'], ...more } })).body
const change = (chargebackId: string, status: string) =>
  sql`insert into timeline_event (merchant_uuid, chargeback_id, source, what, before, after)
    values (${at.merchantUuid}, ${chargebackId}, 'stripe', 'pspStatus changed',
      '{"pspStatus": "under_review"}', ${JSON.stringify({ pspStatus: status })}::jsonb)`.execute(stage.db)

test('a change of the timeline arrives with the chargeback as GET shows it; thin with ids and changes', async () => {
  await using thin = await receive()
  const full = await create(receiver.url)
  await create(thin.url, { payload: 'thin' })
  await sql`update integration set first_loaded_at = now(), last_successful_poll_at = now()`.execute(stage.db)
  const id = await addChargeback(stage.db, at)
  await change(id, 'won')
  await work()
  const sent = receiver.captured.at(-1)
  const event = new Webhook(full.secret).verify(sent?.body ?? '', sent?.headers as Record<string, string>)
  const { body } = await stage.call('GET', `/v1/chargebacks/${id}`)
  expect(event).toMatchObject({
    ...{ id: sent?.headers['webhook-id'], type: 'chargeback.won', referenceAccountId: stage.referenceId },
    data: { chargeback: body.data, changes: [{ what: 'pspStatus changed', after: { pspStatus: 'won' } }] },
  })
  expect(JSON.parse(thin.captured.at(-1)?.body ?? '')).toMatchObject({ data: { chargebackId: id } })
  expect(thin.captured.at(-1)?.body).not.toContain('"chargeback":')
  expect(await countPending(stage.db)).toBe(0)
})

test('the account’s setting makes every endpoint thin', async () => {
  await sql`update account set settings = '{"webhookPayload": "thin"}'`.execute(stage.db)
  await change(await addChargeback(stage.db, at), 'lost')
  await work()
  expect(receiver.captured.at(-1)?.body).not.toContain('"chargeback":')
})

test('an endpoint that is gone is told to the others', async () => {
  await using gone = await receive(answer(410))
  const { id } = await create(gone.url)
  await change(await addChargeback(stage.db, at), 'lost')
  await work()
  await work()
  const told = receiver.captured.map(({ body }) => JSON.parse(body)).find(({ type }) => type.startsWith('webhook'))
  expect(told).toMatchObject({ type: 'webhook_endpoint.disabled', data: { webhookEndpointId: id } })
  expect((await countEndpoints(stage.db)).map(({ of }) => of)).toContain('disabled')
})

test('an endpoint of all merchants that is gone is told to the first merchant, without the path of its address', async () => {
  await using gone = await receive(answer(410))
  const as = { token: (await stage.issue({ accountId: stage.accountId, scope: 'account' })).token }
  const url = `${gone.url}/path-secret?key=query-secret`
  const account = await stage.call('POST', '/v1/webhook-endpoints', { body: { url, events: ['*'] }, ...as })
  await sql`update account set settings = '{}'`.execute(stage.db)
  await change(await addChargeback(stage.db, at), 'won')
  await work()
  await work()
  const webhookEndpoint = { id: account.body.id, url: new URL(gone.url).origin }
  const { data } = (await stage.call('GET', `/v1/events?types=webhook_endpoint.*&limit=100`)).body
  expect(data.at(-1)).toMatchObject({ type: 'webhook_endpoint.disabled', data: { webhookEndpoint } })
  const told = receiver.captured.map(({ body }) => JSON.parse(body)).filter(({ type }) => type.startsWith('webhook_'))
  expect(told.at(-1).data).toEqual({ webhookEndpoint })
})

test('a test event names its endpoint; an event whose object is gone fails', async () => {
  const { id } = await create(receiver.url)
  await stage.call('POST', `/v1/webhook-endpoints/${id}/test`)
  await work()
  const tested = receiver.captured.map(({ body }) => JSON.parse(body)).find(({ type }) => type === 'webhook.test')
  expect(tested).toMatchObject({ sequence: '0', data: { webhookEndpointId: id } })
  for (const one of [tested, exampleTestEvent]) expect(testEvent.parse(one)).toEqual(one)
  await change(await addChargeback(stage.db, at), 'lost')
  await sequenced()
  await sql`update webhook_endpoint set due_at = due_at - interval '1 minute' where due_at is not null`.execute(
    stage.db,
  )
  expect(await longestWait(stage.db)).toBeGreaterThan(50)
  await sql`delete from event`.execute(stage.db)
  await work()
  expect(await longestWait(stage.db)).toBe(0)
  const { body } = await stage.call('GET', `/v1/webhook-endpoints/${id}/deliveries?state=failed`)
  expect(body.data[0].attempts).toMatchObject([{ kind: 'not_in_log' }])
})

import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Child } from '../../harness/child.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { until } from '../../harness/until.ts'
import { addChargeback, addIntegration } from '../../integration/api/chargebacks/chargeback-rows.ts'
import { type Captured, receive } from '../../integration/webhooks/receivers.ts'

/** Of an endpoint; docs/decisions/0066. */
const LEASE_MS = 60_000

let stack: Stack
let chargebackId: string
beforeEach(async () => {
  stack = await startStack({ workers: 1 })
  const { db, ring, merchantUuid } = stack
  const integrationId = await addIntegration(db, ring, merchantUuid)
  await sql`update integration set first_loaded_at = now(), last_successful_poll_at = now()`.execute(db)
  chargebackId = await addChargeback(db, { merchantUuid, integrationId })
})
afterEach(() => stack[Symbol.asyncDispose]())

const endpoint = async (url: string) =>
  (await stack.call('POST', '/webhook-endpoints', { url, events: ['chargeback.*'] })).body.id as string
const change = () =>
  stack.db
    .insertInto('timeline_event')
    .values({ merchant_uuid: stack.merchantUuid, chargeback_id: chargebackId, source: 'test', what: 'details changed' })
    .execute()
const idOf = ({ headers }: Captured) => headers['webhook-id']
const isReturned = async (id: string) => {
  const at = stack.db.selectFrom('webhook_endpoint').select(['lease', 'lease_until']).where('endpoint_id', '=', id)
  const { lease, lease_until } = await at.executeTakeFirstOrThrow()
  return Number(lease) > 0 && lease_until === null
}
const deliveries = async (id: string) => (await stack.call('GET', `/webhook-endpoints/${id}/deliveries`)).body.data

test('killed in mid-delivery: another worker sends the same event again when the lease ends, and others wait for nothing', async () => {
  const held: (() => void)[] = []
  await using victim = await receive((_, response) =>
    held.length === 0 ? held.push(() => response.end()) : response.end(),
  )
  await using bystander = await receive()
  const [ofVictim, ofBystander] = [await endpoint(victim.url), await endpoint(bystander.url)]
  await change()
  await until('the request is in flight', () => held.length === 1)
  // A worker that dies before it has returned this lease too would delay both endpoints.
  await until('the other endpoint’s turn has ended', () => isReturned(ofBystander))
  const killedAt = Date.now()
  const first = stack.workers[0] as Child
  first.kill('SIGKILL')
  await first.exited
  await stack.startWorker()

  await change()
  await until('the other endpoint has both', () => new Set(bystander.captured.map(idOf)).size === 2, {
    timeoutMs: LEASE_MS - 10_000,
  })
  expect(victim.captured).toHaveLength(1)
  await until('the event is sent again', () => victim.captured.length >= 3, { timeoutMs: LEASE_MS + 30_000 })
  expect(Date.now() - killedAt).toBeGreaterThan(LEASE_MS / 2)
  const [lost, ...later] = victim.captured.map(idOf)
  expect(later[0]).toBe(lost)
  expect(new Set(victim.captured.map(idOf))).toEqual(new Set(bystander.captured.map(idOf)))
  const shown = await until('both are delivered', () => deliveries(ofVictim), {
    holds: (all) => all.every(({ state }: { state: string }) => state === 'delivered'),
  })
  // Nobody saw the end of the attempt that the worker died in.
  expect(shown.map(({ attempts }: { attempts: unknown[] }) => attempts.length)).toEqual([1, 1])
}, 240_000)

test('frozen inside a transaction: events of all others are late by at most 30 seconds, and none is lost', async () => {
  await using receiver = await receive()
  await endpoint(receiver.url)
  const frozen = await stack.db.pool.connect()
  try {
    // What a frozen process leaves: an open transaction that has written, and asks for nothing.
    await frozen.query(`begin; select set_config('recoup.scope', 'system', true)`)
    await frozen.query(`update chargeback set arn = 'frozen' where id = '${chargebackId}'`)
    frozen.on('error', () => undefined)
    const { merchant_uuid, integration_id } = await stack.db
      .selectFrom('chargeback')
      .select(['merchant_uuid', 'integration_id'])
      .executeTakeFirstOrThrow()
    const other = await addChargeback(stack.db, { merchantUuid: merchant_uuid, integrationId: integration_id })
    const at = Date.now()
    await stack.db
      .insertInto('timeline_event')
      .values({ merchant_uuid, chargeback_id: other, source: 'test', what: 'details changed' })
      .execute()
    await until('the event arrives', () => receiver.captured.length === 1, { timeoutMs: 45_000 })
    expect(Date.now() - at).toBeGreaterThan(1_000)
    expect(Date.now() - at).toBeLessThan(35_000)
  } finally {
    frozen.release(true)
  }
}, 120_000)

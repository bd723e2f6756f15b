import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FaultPoint } from '../harness/fault-points/points.ts'
import { acceptanceEnd, allChargebacks, chargebackOf, createDispute, pollNow } from '../harness/rows.ts'
import { type Stack, startStack } from '../harness/stack.ts'
import { until } from '../harness/until.ts'

let stack: Stack
beforeEach(async () => {
  stack = await startStack()
})
afterEach(() => stack[Symbol.asyncDispose]())

const holdNext = async (match: { method: string; path: string }, then: 'apply' | 'drop') =>
  (await stack.control('POST', '/holds', { match, then })).body.id as string
const inHand = (id: string) =>
  until('the PSP has the request in hand', async () => (await stack.control('GET', `/holds/${id}`)).body.held?.length, {
    timeoutMs: 60_000,
  })
const effects = async (ref: string) => (await stack.control('GET', `/effects?ref=${ref}&kind=acceptance`)).body.effects

async function openChargeback(): Promise<{ ref: string; id: string }> {
  const ref = await createDispute(stack, { stage: 'chargeback' })
  const integrationId = await stack.connectStripe()
  await pollNow(stack, integrationId)
  return { ref, id: (await chargebackOf(stack, ref)).id as string }
}

async function killAndReplace(): Promise<void> {
  const victim = stack.workers.at(-1)
  victim?.kill('SIGKILL')
  await victim?.exited
  await stack.startWorker()
}

describe('worker killed with -9', () => {
  test('in the middle of a scan, a page in flight: nothing is lost, nothing is stored twice', async () => {
    await stack.control('POST', '/disputes', { count: 350 })
    const { body } = await stack.call(
      'POST',
      '/integrations',
      (await import('../harness/stack.ts')).stripeIntegration(),
    )
    await until('the first page is stored', async () => (await stack.call('GET', '/chargebacks')).body.data.length > 0)
    const hold = await holdNext({ method: 'GET', path: '/v1/disputes' }, 'drop')
    // The scan may have finished already: another poll runs into the hold.
    const { enqueue } = await import('../../db/core/outbox.ts')
    await enqueue(stack.db, { kind: 'poll_now', payload: { integrationId: body.integrationId } })
    await inHand(hold)
    await killAndReplace()
    await stack.control('DELETE', `/holds/${hold}`)
    const all = await until('every dispute is there', () => allChargebacks(stack), {
      holds: (found) => found.length >= 350,
      timeoutMs: 60_000,
    })
    expect(new Set(all.map((one) => one.chargebackId)).size).toBe(350)
    const events = await stack.db
      .selectFrom('timeline_event')
      .select('chargeback_id')
      .where('what', '=', 'ingested')
      .execute()
    expect(events).toHaveLength(350)
  }, 120_000)

  for (const point of ['poll.before_page', 'poll.between_pages'] as const satisfies FaultPoint[])
    test(`at ${point}: the next worker continues from the stored cursor`, async () => {
      await stack.workers[0]?.stop()
      await stack.control('POST', '/disputes', { count: 250 })
      const doomed = await stack.startWorker({ CRASH_AT: point })
      await stack.call('POST', '/integrations', (await import('../harness/stack.ts')).stripeIntegration())
      expect(await doomed.exited).not.toBe(0)
      await stack.startWorker()
      const all = await until('every dispute is there', () => allChargebacks(stack), {
        holds: (found) => found.length >= 250,
        timeoutMs: 60_000,
      })
      expect(new Set(all.map((one) => one.chargebackId)).size).toBe(250)
      const events = await stack.db
        .selectFrom('timeline_event')
        .select('chargeback_id')
        .where('what', '=', 'ingested')
        .execute()
      expect(events).toHaveLength(250)
    }, 120_000)

  // Other steps, other victims, other PSPs: torture.test.ts.
  test('while the acceptance is in flight at the PSP, which then loses it: one effect', async () => {
    const { ref, id } = await openChargeback()
    const hold = await holdNext({ method: 'POST', path: `/v1/disputes/${ref}/close` }, 'drop')
    await stack.call('POST', `/chargebacks/${id}/accept`)
    await inHand(hold)
    stack.workers.at(-1)?.kill('SIGKILL')
    await stack.control('DELETE', `/holds/${hold}`)
    await stack.startWorker()
    expect(await acceptanceEnd(stack, id, 60_000)).toMatchObject({ status: 'succeeded' })
    expect(await effects(ref)).toHaveLength(1)
  }, 120_000)
})

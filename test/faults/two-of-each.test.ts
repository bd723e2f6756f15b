import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { enqueue } from '../../db/core/outbox.ts'
import { acceptanceEnd, allChargebacks, pollNow } from '../harness/rows.ts'
import { type Stack, startStack } from '../harness/stack.ts'
import { until } from '../harness/until.ts'

let stack: Stack
let integrationId: string
beforeAll(async () => {
  stack = await startStack({ apis: 2, workers: 2 })
  await stack.control('POST', '/disputes', { count: 120, status: 'needs_response', stage: 'chargeback' })
  integrationId = await stack.connectStripe()
})
afterAll(() => stack[Symbol.asyncDispose]())

describe('two API processes and two workers at once', () => {
  test('ingestion: each dispute is stored once, with one timeline event, however often a poll is requested', async () => {
    for (let n = 0; n < 5; n++) await enqueue(stack.db, { kind: 'poll_now', payload: { integrationId } })
    const all = await until('every dispute is there', () => allChargebacks(stack), {
      holds: (found) => found.length >= 120,
    })
    await pollNow(stack, integrationId)
    expect(all).toHaveLength(120)
    const events = await stack.db
      .selectFrom('timeline_event')
      .select('chargeback_id')
      .where('what', '=', 'ingested')
      .execute()
    expect(events).toHaveLength(120)
  })

  test('acceptances requested at both APIs at the same time: one effect each', async () => {
    const chosen = (await allChargebacks(stack)).slice(0, 10) as { id: string; chargebackId: string }[]
    const [first, second] = stack.apis
    const ask = (url: string, id: string) =>
      fetch(`${url}/v1/chargebacks/${id}/accept`, {
        method: 'POST',
        headers: { authorization: `Bearer ${stack.token}` },
      })
    const responses = await Promise.all(
      chosen.flatMap(({ id }) => [ask(first?.url ?? '', id), ask(second?.url ?? '', id), ask(first?.url ?? '', id)]),
    )
    expect(responses.every((response) => response.status === 200)).toBe(true)
    for (const { id } of chosen) expect(await acceptanceEnd(stack, id, 60_000)).toMatchObject({ status: 'succeeded' })
    const { body } = await stack.control('GET', '/effects?kind=acceptance')
    expect(body.effects.map((effect: { ref: string }) => effect.ref).sort()).toEqual(
      chosen.map((one) => one.chargebackId).sort(),
    )
    const commands = await stack.db.selectFrom('command').select('command_id').execute()
    expect(commands).toHaveLength(10)
  })
})

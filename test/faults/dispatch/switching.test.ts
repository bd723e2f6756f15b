import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setPaused } from '../../../db/integrations/integration-operations.ts'
import { listActions } from '../../../db/merchants/operator-actions.ts'
import { pollScheduleId, type ShardTotals, shardScheduleId } from '../../../workflows/contract.ts'
import { scheduleState } from '../../harness/pollers.ts'
import { createDispute, pollNow, reconcileNow } from '../../harness/rows.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { until } from '../../harness/until.ts'

let stack: Stack
let open: string
let paused: string
let pausedInUi: string
/** Time of each first poll. Neither switch may poll again. */
let polledAt: Map<string, number>

beforeAll(async () => {
  stack = await startStack({ env: { RECOUP_POLLING: 'dispatch', RECOUP_POLL_SHARDS: '2' } })
  open = await stack.connectStripe()
  paused = await stack.connectStripe({ externalIdentifier: 'acct_paused' })
  pausedInUi = await stack.connectStripe({ externalIdentifier: 'acct_paused_in_ui' })
})
afterAll(() => stack?.[Symbol.asyncDispose]())

const rowOf = (id: string) =>
  stack.db.selectFrom('integration').selectAll().where('integration_id', '=', id).executeTakeFirstOrThrow()
const schedule = (id: string) => scheduleState(stack, pollScheduleId(id))
const all = () => [open, paused, pausedInUi]
const isPolled = async (id: string) => {
  const row = await rowOf(id)
  return row.polled_at !== null && row.lease_owner === null && (row.next_poll_at ?? 0) > new Date()
}

/** Replaces the worker by one with another configuration, as an upgrade does. */
async function restart(choice: 'schedules' | 'dispatch'): Promise<void> {
  await stack.workers.at(-1)?.stop()
  await stack.startWorker({ RECOUP_POLLING: choice })
  await reconcileNow(stack)
}

describe('dispatch', () => {
  test('polls without a schedule for any integration; the shard’s workflow run reports what it polled', async () => {
    for (const id of all()) await until('a shard polled it', () => isPolled(id))
    for (const id of all()) expect(await schedule(id)).toBeNull()
    const { poll_workflow: workflowId } = await rowOf(open)
    expect(workflowId).toMatch(/^poll-shard:[12]-/)
    expect((await stack.temporal.workflow.getHandle(workflowId as string).describe()).type).toBe('pollShard')
  })

  test('a requested poll runs at once; a paused integration is polled once and stays paused', async () => {
    const reference = await createDispute(stack)
    await pollNow(stack, open)
    const found = await stack.call('GET', `/chargebacks?chargebackId=${reference}`)
    expect(found.body.data).toHaveLength(1)
    await setPaused(stack.db, paused, { paused: true, by: 'alice', reason: 'The bank moves.' })
    await stack.control('POST', '/disputes', { count: 1, account: 'acct_paused' })
    const before = (await rowOf(paused)).polled_at
    const { enqueue } = await import('../../../db/core/outbox.ts')
    await enqueue(stack.db, { kind: 'poll_now', payload: { integrationId: paused } })
    await until('it is polled', async () => ((await rowOf(paused)).polled_at ?? 0) > (before ?? 0))
    expect((await stack.temporal.workflow.getHandle(pollScheduleId(paused)).describe()).type).toBe('pollIntegration')
    expect((await rowOf(paused)).paused).toBe(true)
    await until('its lease is released', async () => (await rowOf(paused)).lease_owner === null)
  })

  test('switches to schedules while it runs: no extra poll, pauses kept, shards deleted, results of the last runs kept', async () => {
    polledAt = new Map(
      await Promise.all(all().map(async (id) => [id, (await rowOf(id)).polled_at?.getTime() ?? 0] as const)),
    )
    const { poll_workflow: workflowId } = await rowOf(open)
    await restart('schedules')
    const result = (await stack.temporal.workflow.getHandle(workflowId as string).result()) as ShardTotals
    expect(result).toMatchObject({ sentence: expect.stringMatching(/^Integrations: \d+ polled, 0 failed/) })
    expect(result.polled).toBeGreaterThan(0)
    for (const id of all()) await until('it has a schedule', async () => (await schedule(id)) !== null)
    for (const shard of [1, 2])
      await until('the shard is deleted', async () => (await scheduleState(stack, shardScheduleId(shard))) === null)
    for (const id of all()) expect(await rowOf(id)).toMatchObject({ next_poll_at: null, poll_workflow: null })
    expect(await schedule(paused)).toMatchObject({
      paused: true,
      note: 'paused by an operator (alice): The bank moves.',
    })
    expect(await schedule(open)).toMatchObject({ paused: false })
    for (const id of all()) expect((await rowOf(id)).polled_at?.getTime()).toBe(polledAt.get(id))
  }, 180_000)

  test('switches back: no extra poll, and a pause made in the Temporal UI is stored in the row', async () => {
    await stack.temporal.schedule.getHandle(pollScheduleId(pausedInUi)).pause('Ann looks into it')
    // The list of schedules lags behind.
    const listed = async () => {
      for await (const { scheduleId, state } of stack.temporal.schedule.list())
        if (scheduleId === pollScheduleId(pausedInUi)) return state.paused
      return false
    }
    await until('its pause is listed', listed)
    await restart('dispatch')
    for (const id of all()) await until('its schedule is deleted', async () => (await schedule(id)) === null)
    for (const id of all()) await until('shards have it', async () => (await rowOf(id)).next_poll_at !== null)
    expect(await rowOf(pausedInUi)).toMatchObject({
      ...{ paused: true, pause_changed_by: 'the Temporal UI' },
      pause_reason: 'Its schedule was paused in the Temporal UI.',
    })
    const [action] = await listActions(stack.db, { subject: pausedInUi, limit: 1 })
    expect(action).toMatchObject({ action: 'integration pause', reason: 'Ann looks into it' })
    expect(await rowOf(paused)).toMatchObject({
      paused: true,
      pause_changed_by: 'alice',
      pause_reason: 'The bank moves.',
    })
    expect((await rowOf(open)).paused).toBe(false)
    await pollNow(stack, open)
    for (const id of [paused, pausedInUi]) expect((await rowOf(id)).polled_at?.getTime()).toBe(polledAt.get(id))
  }, 180_000)
})

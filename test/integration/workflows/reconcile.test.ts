import { ScheduleNotFoundError } from '@temporalio/client'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { enqueue } from '../../../db/core/outbox.ts'
import { pollScheduleId } from '../../../workflows/contract.ts'
import { chargebackOf, createDispute, pollNow, reconcileNow } from '../../harness/rows.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { until } from '../../harness/until.ts'

let stack: Stack
let integrationId: string
beforeAll(async () => {
  stack = await startStack({ env: { RECOUP_POLL_INTERVAL_SECONDS: '3600' } })
  integrationId = await stack.connectStripe()
})
afterAll(() => stack[Symbol.asyncDispose]())

const schedule = (id: string) => stack.temporal.schedule.getHandle(pollScheduleId(id))
const pausedState = (id: string) =>
  schedule(id)
    .describe()
    .then(
      (found) => (found.state.paused ? 'paused' : 'running'),
      (error) => (error instanceof ScheduleNotFoundError ? 'none' : Promise.reject(error)),
    )
/** Ids in Temporal's list, which lags behind changes. */
const listed = async () => {
  const ids: string[] = []
  for await (const { scheduleId } of stack.temporal.schedule.list()) ids.push(scheduleId)
  return ids
}
const rowOf = () =>
  stack.db.selectFrom('integration').selectAll().where('integration_id', '=', integrationId).executeTakeFirstOrThrow()
const soon = { timeoutMs: 60_000 }

describe('reconciler', () => {
  test('restores a schedule that was deleted', async () => {
    await until('it exists', () => pausedState(integrationId), { holds: (state) => state === 'running' })
    await schedule(integrationId).delete()
    await until(
      'the list of schedules does not have it',
      async () => !(await listed()).includes(pollScheduleId(integrationId)),
    )
    await reconcileNow(stack)
    await until('it is back', () => pausedState(integrationId), { holds: (state) => state === 'running', ...soon })
  })

  test('deletes a schedule without an integration', async () => {
    const unknownId = '0198c5a4-1111-7d60-9a55-2f4b1f6f7d10'
    await stack.temporal.schedule.create({
      scheduleId: pollScheduleId(unknownId),
      spec: { intervals: [{ every: '1 day' }] },
      action: { type: 'startWorkflow', workflowType: 'pollIntegration', taskQueue: 'polling', args: [] },
    })
    await reconcileNow(stack)
    await until('it is deleted', () => pausedState(unknownId), { holds: (state) => state === 'none', ...soon })
  })

  test('pauses a schedule whose row is paused, and keeps a pause that an operator made in the UI', async () => {
    await stack.db
      .updateTable('integration')
      .set({ paused: true })
      .where('integration_id', '=', integrationId)
      .execute()
    await reconcileNow(stack)
    await until('it is paused', () => pausedState(integrationId), { holds: (state) => state === 'paused', ...soon })
    await stack.db
      .updateTable('integration')
      .set({ paused: false })
      .where('integration_id', '=', integrationId)
      .execute()
    await enqueue(stack.db, { kind: 'sync_schedule', payload: { integrationId } })
    await until('it runs again', () => pausedState(integrationId), { holds: (state) => state === 'running' })
    await schedule(integrationId).pause('looking into it')
    const outboxId = await enqueue(stack.db, { kind: 'sync_schedule', payload: { integrationId } })
    await until('it was synchronized', async () => {
      const left = await stack.db.selectFrom('outbox').select('outbox_id').where('outbox_id', '=', outboxId).execute()
      return left.length === 0
    })
    expect((await schedule(integrationId).describe()).state).toMatchObject({ paused: true, note: 'looking into it' })
    await schedule(integrationId).unpause()
  })

  test('resumes a schedule that Recoup paused when its row is no longer paused', async () => {
    await schedule(integrationId).pause('paused by an operator')
    await reconcileNow(stack)
    await until('it runs again', () => pausedState(integrationId), { holds: (state) => state === 'running', ...soon })
  })

  test('corrects the interval of a schedule', async () => {
    const every = () =>
      schedule(integrationId)
        .describe()
        .then((found) => found.spec.intervals?.[0]?.every)
    await schedule(integrationId).update((previous) => ({ ...previous, spec: { intervals: [{ every: '2 days' }] } }))
    await reconcileNow(stack)
    await until('it is an hour again', every, { holds: (ms) => ms === 3_600_000, ...soon })
  })

  test('triggers a poll that is overdue although its schedule exists', async () => {
    await pollNow(stack, integrationId)
    const long = sql<Date>`now() - interval '1 day'`
    await stack.db
      .updateTable('integration')
      .set({ polled_at: long })
      .where('integration_id', '=', integrationId)
      .execute()
    await reconcileNow(stack)
    await until('it was polled', async () => Date.now() - ((await rowOf()).polled_at?.getTime() ?? 0) < 60_000, soon)
  })

  test('moves chargebacks when due dates pass and data windows close, and the timeline shows it', async () => {
    const [overdue, near] = [
      await createDispute(stack, { dueInHours: 400 }),
      await createDispute(stack, { dueInHours: 400 }),
    ]
    await pollNow(stack, integrationId)
    // Enrichment changes their status, too.
    for (const ref of [overdue, near])
      await until('it is enriched', () => chargebackOf(stack, ref), { holds: ({ isEnriched }) => Boolean(isEnriched) })
    const ids = [(await chargebackOf(stack, overdue)).id as string, (await chargebackOf(stack, near)).id as string]
    const [first = '', second = ''] = ids
    const set = (id: string, status: string, due: ReturnType<typeof sql<Date>>) =>
      stack.db.updateTable('chargeback').set({ status, due_date: due }).where('id', '=', id).execute()
    await set(first, 'building_evidence', sql<Date>`now() - interval '1 minute'`)
    await set(second, 'waiting_for_data', sql<Date>`now() + interval '71 hours'`)
    await reconcileNow(stack)
    const read = async (id: string) => (await stack.call('GET', `/chargebacks/${id}`)).body.data.status
    await until('the overdue one is not represented', () => read(first), {
      holds: (status) => status === 'not_represented',
      ...soon,
    })
    await until('the near one is built', () => read(second), {
      holds: (status) => status === 'building_evidence',
      ...soon,
    })
    const events = await stack.db
      .selectFrom('timeline_event')
      .select(['chargeback_id', 'what', 'after'])
      .where('source', '=', 'clock')
      .where('what', '=', 'status changed')
      .where('chargeback_id', 'in', ids)
      .execute()
    expect(events).toHaveLength(2)
  })
})

describe('finding 5: retention', () => {
  test('a run deletes an expired row, and keeps one that is not expired', async () => {
    const soon = BigInt(Date.now() + 3_600_000)
    const rows = [
      { key: 'long expired', points: 1, expire: 1n },
      { key: 'counted', points: 1, expire: soon },
    ]
    await stack.db.insertInto('request_count').values(rows).execute()
    await reconcileNow(stack)
    const keys = async () => (await stack.db.selectFrom('request_count').select('key').execute()).map(({ key }) => key)
    await until('it is deleted', keys, { holds: (left) => !left.includes('long expired') })
    expect(await keys()).toContain('counted')
  })
})

describe('a credential that stops working', () => {
  test('refused polls make the integration FAILED and pause its schedule, until the PSP accepts it again', async () => {
    await stack.control('POST', '/faults', { kind: '401', count: 1_000 })
    for (let n = 1; n <= 3; n++) {
      expect((await rowOf()).status).toBe('SUCCESSFUL')
      await pollNow(stack, integrationId)
    }
    await until('it is FAILED', async () => (await rowOf()).status, { holds: (status) => status === 'FAILED' })
    expect((await rowOf()).status_reason).toMatch(/refused the API key/)
    await until('its schedule is paused', () => pausedState(integrationId), { holds: (state) => state === 'paused' })
    const { state } = await schedule(integrationId).describe()
    expect(state.note).toBe('the PSP refused the credential')
    await stack.control('DELETE', '/faults')
    await until('it is SUCCESSFUL', async () => (await rowOf()).status, {
      holds: (status) => status === 'SUCCESSFUL',
      ...soon,
    })
    await until('its schedule runs', () => pausedState(integrationId), {
      holds: (state) => state === 'running',
      ...soon,
    })
  }, 120_000)
})

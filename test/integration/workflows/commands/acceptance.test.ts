import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stripeSimulator } from '../../../../simulators/stripe/index.ts'
import { acceptanceEnd, chargebackOf, createDispute, pollNow, reconcileNow } from '../../../harness/rows.ts'
import { latestRunOf } from '../../../harness/runs.ts'
import { type Stack, startStack } from '../../../harness/stack.ts'
import { until } from '../../../harness/until.ts'

let stack: Stack
let integrationId: string
beforeAll(async () => {
  stack = await startStack()
  integrationId = await stack.connectStripe()
})
afterAll(() => stack[Symbol.asyncDispose]())

/** A new open chargeback: the PSP's id and ours. */
async function open(): Promise<{ ref: string; id: string }> {
  const ref = await createDispute(stack, { stage: 'chargeback' })
  await pollNow(stack, integrationId)
  return { ref, id: (await chargebackOf(stack, ref)).id as string }
}
const effects = async (ref: string) => (await stack.control('GET', `/effects?ref=${ref}&kind=acceptance`)).body.effects
/** The row is written just before the workflow run closes. */
const closedRun = (id: string) =>
  until(
    'the run has closed',
    async () => stack.temporal.workflow.getHandle(await latestRunOf(stack.db, id)).describe(),
    {
      holds: (run) => run.status.name !== 'RUNNING',
    },
  )
const closes = async (ref: string) =>
  (await stack.control('GET', '/calls?method=POST')).body.calls.filter(
    (call: { path: string }) => call.path === `/v1/disputes/${ref}/close`,
  )

// No retry of tests: an effect that is sometimes doubled must fail.
describe('acceptance', () => {
  test('is confirmed at the PSP once, and shown everywhere', async () => {
    const { ref, id } = await open()
    const response = await stack.call('POST', `/chargebacks/${id}/accept`)
    expect(response.status).toBe(200)
    expect(response.body).toMatchObject({ status: 200, id })
    expect(await acceptanceEnd(stack, id)).toMatchObject({
      id,
      status: 'succeeded',
      referenceAccountId: stack.referenceId,
    })
    expect(await effects(ref)).toHaveLength(1)
    expect(await chargebackOf(stack, ref)).toMatchObject({ pspStatus: 'lost', status: 'not_represented' })
    const run = await closedRun(id)
    expect(run.status.name).toBe('COMPLETED')
    // From parts that an operator knows: command, PSP, its account, its dispute, round.
    expect(run.workflowId).toBe(`accept:stripe:${stripeSimulator.profile.homeAccount}:${ref}:1`)
    expect(run.searchAttributes).toMatchObject({
      CommandState: ['succeeded'],
      ChargebackId: [id],
      MerchantId: [stack.merchantUuid],
      IntegrationId: [integrationId],
      Psp: ['stripe'],
    })
    expect(await run.staticSummary()).toBe(`accept chargeback ${id} via stripe`)
    const metadata = await stack.temporal.workflow
      .getHandle(await latestRunOf(stack.db, id))
      .query<{ currentDetails: string }>('__temporal_workflow_metadata')
    expect(metadata.currentDetails).toBe('accepted and confirmed by a re-read')
  })

  test('requested while an earlier run is open: Temporal starts no second run until that one closes', async () => {
    const { ref, id } = await open()
    const hold = (await stack.control('POST', '/holds', { match: { method: 'GET', path: `/v1/disputes/${ref}` } })).body
    await stack.call('POST', `/chargebacks/${id}/accept`)
    await until(
      'the first run has called the PSP',
      async () => (await stack.control('GET', `/holds/${hold.id}`)).body.held,
      {
        holds: (held) => held.length > 0,
      },
    )
    const workflowId = await latestRunOf(stack.db, id)
    // As if the row was changed by hand: the command has ended, but its run is open.
    const commands = stack.db.updateTable('command').set({ status: 'failed', error: 'Set by hand.' })
    await commands.where('chargeback_id', '=', id).execute()
    expect((await stack.call('POST', `/chargebacks/${id}/accept`)).status).toBe(200)
    expect(await latestRunOf(stack.db, id)).toBe(workflowId)
    const waiting = stack.db.selectFrom('outbox').select('last_error').where('last_error', '=', 'EarlierRunOpen')
    await until('the second run was refused', () => waiting.execute(), { holds: (rows) => rows.length > 0 })
    await stack.control('DELETE', `/holds/${hold.id}`)
    expect(await acceptanceEnd(stack, id, 50_000)).toMatchObject({ status: 'succeeded' })
    expect(await effects(ref)).toHaveLength(1)
  })

  test('repeated while it runs and after it succeeded: 200 and nothing new', async () => {
    const { ref, id } = await open()
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => stack.call('POST', `/chargebacks/${id}/accept`)),
    )
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    await acceptanceEnd(stack, id)
    expect((await stack.call('POST', `/chargebacks/${id}/accept`)).status).toBe(200)
    expect(await effects(ref)).toHaveLength(1)
  })

  for (const kind of ['reset_after_apply', 'timeout_after_apply', '500'] as const)
    test(`${kind} as the PSP's response: read before any retry, one effect, succeeded`, async () => {
      const { ref, id } = await open()
      await stack.control('POST', '/faults', {
        kind,
        count: 1,
        match: { method: 'POST', path: `/v1/disputes/${ref}/close` },
        delayMs: 300,
      })
      await stack.call('POST', `/chargebacks/${id}/accept`)
      expect(await acceptanceEnd(stack, id, 50_000)).toMatchObject({ status: 'succeeded' })
      expect(await effects(ref)).toHaveLength(1)
      const keys = (await closes(ref)).map((call: { idempotencyKey: string }) => call.idempotencyKey)
      expect(
        keys.every((key: string) => key.startsWith(`accept:stripe:${stripeSimulator.profile.homeAccount}:${ref}:1`)),
      ).toBe(true)
    })

  test('decided at the PSP before it was sent: failed with an error message, nothing sent', async () => {
    const { ref, id } = await open()
    await stack.control('POST', `/disputes/${ref}/decide`, { outcome: 'won' })
    await stack.call('POST', `/chargebacks/${id}/accept`)
    const end = await acceptanceEnd(stack, id)
    expect(end.status).toBe('failed')
    expect(end.error).toMatch(/\w+ \w+/)
    expect(await effects(ref)).toHaveLength(0)
    expect(await closes(ref)).toHaveLength(0)
    const run = await closedRun(id)
    expect(run.status.name).toBe('FAILED')
  })

  test('failed, then requested again: a new attempt', async () => {
    const { ref, id } = await open()
    await stack.control('POST', '/faults', {
      kind: '403',
      count: 1,
      match: { method: 'POST', path: `/v1/disputes/${ref}/close` },
    })
    await stack.call('POST', `/chargebacks/${id}/accept`)
    expect(await acceptanceEnd(stack, id)).toMatchObject({ status: 'failed' })
    await stack.call('POST', `/chargebacks/${id}/accept`)
    await until(
      'the new attempt succeeded',
      async () => (await stack.call('GET', `/chargebacks/${id}/accept`)).body.status,
      {
        holds: (status) => status === 'succeeded',
      },
    )
    expect(await effects(ref)).toHaveLength(1)
  })

  test('terminated by an operator before it was sent: flagged; failed after a manual close', async () => {
    const { ref, id } = await open()
    await stack.control('POST', '/faults', { kind: 'reset', count: 10_000, match: { path: `/v1/disputes/${ref}` } })
    await stack.call('POST', `/chargebacks/${id}/accept`)
    const handle = stack.temporal.workflow.getHandle(await latestRunOf(stack.db, id))
    await until('it runs', async () => (await stack.call('GET', `/chargebacks/${id}/accept`)).body.status, {
      holds: (status) => status === 'inProgress',
    })
    // A running attempt outlives its run by some seconds, and would send as soon as the PSP is reachable.
    stack.workers[0]?.kill('SIGKILL')
    await stack.workers[0]?.exited
    await handle.terminate('an operator tries')
    await stack.control('DELETE', '/faults')
    await stack.startWorker()
    /** Reconciles as if the command was last checked long ago. */
    const checkAgain = async () => {
      const unchecked = { checked_at: new Date(0) }
      await stack.db.updateTable('command').set(unchecked).where('chargeback_id', '=', id).execute()
      await reconcileNow(stack)
    }
    await checkAgain()
    const row = await until(
      'it is flagged',
      () => stack.db.selectFrom('command').selectAll().where('chargeback_id', '=', id).executeTakeFirstOrThrow(),
      { holds: (found) => found.needs_attention, timeoutMs: 60_000 },
    )
    expect(row.status).toBe('inProgress')
    expect(await effects(ref)).toHaveLength(0)
    // Closed at the PSP by hand: the reconciler finds it lost, and nothing of ours was sent.
    await fetch(`${stack.simulator.url}/v1/disputes/${ref}/close`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${(await import('../../../../simulators/stripe/index.ts')).stripeSimulator.secretPayload.apiKey}`,
        'stripe-version': '2026-10-28.endive',
        'content-type': 'application/x-www-form-urlencoded',
      },
    })
    await checkAgain()
    await until('it is resolved', async () => (await stack.call('GET', `/chargebacks/${id}/accept`)).body.status, {
      holds: (status) => status === 'failed',
      timeoutMs: 60_000,
    })
    expect((await stack.call('GET', `/chargebacks/${id}/accept`)).body.error).toMatch(/before the acceptance was sent/)
  }, 150_000)
})

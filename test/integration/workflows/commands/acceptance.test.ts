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
/** The row is projected just before its run ends. */
const closedRun = (id: string) =>
  until(
    'the run has ended',
    async () => stack.temporal.workflow.getHandle(await latestRunOf(stack.db, id)).describe(),
    {
      holds: (run) => run.status.name !== 'RUNNING',
    },
  )
const closes = async (ref: string) =>
  (await stack.control('GET', '/calls?method=POST')).body.calls.filter(
    (call: { path: string }) => call.path === `/v1/disputes/${ref}/close`,
  )

// No second try: an effect that doubles now and then must fail.
describe('acceptance', () => {
  test('is confirmed at the PSP, once, and everything shows it', async () => {
    const { ref, id } = await open()
    const answer = await stack.call('POST', `/chargebacks/${id}/accept`)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ status: 200, id })
    expect(await acceptanceEnd(stack, id)).toMatchObject({
      id,
      status: 'succeeded',
      referenceAccountId: stack.referenceId,
    })
    expect(await effects(ref)).toHaveLength(1)
    expect(await chargebackOf(stack, ref)).toMatchObject({ pspStatus: 'lost', status: 'not_represented' })
    const run = await closedRun(id)
    expect(run.status.name).toBe('COMPLETED')
    // In words that an operator knows: command, PSP, its account, its dispute, round.
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

  test('started for a dispute whose earlier run is still open: Temporal starts no second run until that one ends', async () => {
    const { ref, id } = await open()
    const hold = (await stack.control('POST', '/holds', { match: { method: 'GET', path: `/v1/disputes/${ref}` } })).body
    await stack.call('POST', `/chargebacks/${id}/accept`)
    await until(
      'the first run is at the PSP',
      async () => (await stack.control('GET', `/holds/${hold.id}`)).body.held,
      {
        holds: (held) => held.length > 0,
      },
    )
    const workflowId = await latestRunOf(stack.db, id)
    // As a row that was set by hand: the command has ended, and its run has not.
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
    const answers = await Promise.all(Array.from({ length: 5 }, () => stack.call('POST', `/chargebacks/${id}/accept`)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    await acceptanceEnd(stack, id)
    expect((await stack.call('POST', `/chargebacks/${id}/accept`)).status).toBe(200)
    expect(await effects(ref)).toHaveLength(1)
  })

  for (const kind of ['reset_after_apply', 'timeout_after_apply', '500'] as const)
    test(`${kind} at the PSP's answer: read before any repeat, one effect, succeeded`, async () => {
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

  test('decided at the PSP meanwhile: failed with a sentence, nothing sent', async () => {
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

  test('failed, then asked for again: a new attempt', async () => {
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

  test('terminated by an operator before it was sent: flagged, shown as inProgress, never failed; then settled by the PSP: not ours', async () => {
    const { ref, id } = await open()
    await stack.control('POST', '/faults', { kind: 'reset', count: 10_000, match: { path: `/v1/disputes/${ref}` } })
    await stack.call('POST', `/chargebacks/${id}/accept`)
    const handle = stack.temporal.workflow.getHandle(await latestRunOf(stack.db, id))
    await until('it runs', async () => (await stack.call('GET', `/chargebacks/${id}/accept`)).body.status, {
      holds: (status) => status === 'inProgress',
    })
    // An attempt that is at work outlives its run by some seconds, and would send as soon as the PSP can be reached.
    stack.workers[0]?.kill('SIGKILL')
    await stack.workers[0]?.exited
    await handle.terminate('an operator tries')
    await stack.control('DELETE', '/faults')
    await stack.startWorker()
    /** As if the reconciler had not looked at the command for long. */
    const lookAgain = async () => {
      const unseen = { checked_at: new Date(0) }
      await stack.db.updateTable('command').set(unseen).where('chargeback_id', '=', id).execute()
      await reconcileNow(stack)
    }
    await lookAgain()
    const row = await until(
      'it is flagged',
      () => stack.db.selectFrom('command').selectAll().where('chargeback_id', '=', id).executeTakeFirstOrThrow(),
      { holds: (found) => found.needs_attention, timeoutMs: 60_000 },
    )
    expect(row.status).toBe('inProgress')
    expect(await effects(ref)).toHaveLength(0)
    // Somebody closes it at the PSP by hand: the reconciler finds it lost, and nothing of ours was sent.
    await fetch(`${stack.simulator.url}/v1/disputes/${ref}/close`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${(await import('../../../../simulators/stripe/index.ts')).stripeSimulator.secretPayload.apiKey}`,
        'stripe-version': '2026-10-28.endive',
        'content-type': 'application/x-www-form-urlencoded',
      },
    })
    await lookAgain()
    await until('it is settled', async () => (await stack.call('GET', `/chargebacks/${id}/accept`)).body.status, {
      holds: (status) => status === 'failed',
      timeoutMs: 60_000,
    })
    expect((await stack.call('GET', `/chargebacks/${id}/accept`)).body.error).toMatch(/before the acceptance was sent/)
  }, 150_000)
})

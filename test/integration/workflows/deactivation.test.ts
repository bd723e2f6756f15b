import { ScheduleNotFoundError, ScheduleOverlapPolicy, WorkflowUpdateFailedError } from '@temporalio/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  deactivationWorkflowId,
  pollScheduleId,
  RECONCILE_SCHEDULE_ID,
  RESCHEDULE,
  SEARCH_ATTRIBUTES,
} from '../../../workflows/contract.ts'
import { chargebackOf, createDispute, pollNow } from '../../harness/rows.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { until } from '../../harness/until.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack[Symbol.asyncDispose]())

const soon = { timeoutMs: 60_000 }
const FAR = '9999-12-31T00:00:00.000Z'
let accounts = 0
/** A new one for each test, and for each retry of it. */
const newAccount = () => `acct_deactivated${++accounts}`
const later = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
const deactivate = async (path: string, deactivationType: string, deactivationDate: string) =>
  expect((await stack.call('DELETE', path, { deactivationType, deactivationDate })).status).toBe(200)
const runOf = (id: string, kind: 'integration' | 'merchant' = 'integration') =>
  stack.temporal.workflow.getHandle(deactivationWorkflowId({ kind, id }))
const effectiveAt = async (id: string) =>
  (await runOf(id).describe()).typedSearchAttributes.get(SEARCH_ATTRIBUTES.EffectiveAt)?.toISOString()
const statusOf = async (id: string) => (await stack.call('GET', `/integrations/${id}`)).body.status
/** Reconciles as if its run was last checked long ago. */
async function sweepNow(id: string): Promise<void> {
  const overdue = { deactivation_asked_at: new Date(0), deactivation_checked_at: null }
  await stack.db.updateTable('integration').set(overdue).where('integration_id', '=', id).execute()
  await stack.temporal.schedule.getHandle(RECONCILE_SCHEDULE_ID).trigger(ScheduleOverlapPolicy.BUFFER_ONE)
}
const isInactive = (id: string) =>
  until('it is INACTIVE', () => statusOf(id), { holds: (status) => status === 'INACTIVE', ...soon })
const schedule = (id: string) =>
  stack.temporal.schedule
    .getHandle(pollScheduleId(id))
    .describe()
    .then(
      ({ spec }) => spec.endAt?.toISOString() ?? 'endless',
      (error) => (error instanceof ScheduleNotFoundError ? 'none' : Promise.reject(error)),
    )

describe('deactivation of an integration', () => {
  test('waits for its date, which can be moved; then polls end and chargebacks are not represented', async () => {
    const account = newAccount()
    const ref = await createDispute(stack, { account, dueInHours: 400, stage: 'chargeback' })
    const id = await stack.connectStripe({ externalIdentifier: account })
    const open = await chargebackOf(stack, ref)
    expect(['waiting_for_data', 'building_evidence']).toContain(open.status)
    await deactivate(`/integrations/${id}`, 'dueDate', FAR)
    await until('its run waits', () => effectiveAt(id), { holds: (date) => date === FAR })
    await until('its schedule ends then', () => schedule(id), { holds: (end) => end === FAR })

    const stale = { effectiveAt: later(0), revision: 0 }
    await expect(runOf(id).executeUpdate(RESCHEDULE, { args: [stale] })).rejects.toThrow(WorkflowUpdateFailedError)
    expect(await effectiveAt(id)).toBe(FAR)
    const date = later(3)
    await deactivate(`/integrations/${id}`, 'dueDate', date)
    await until('its run has the new date', () => effectiveAt(id), { holds: (moved) => moved === date })
    await isInactive(id)
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(date))
    await until('its schedule is deleted', () => schedule(id), { holds: (end) => end === 'none', ...soon })
    await until('its chargeback is not represented', () => chargebackOf(stack, ref), {
      holds: ({ status }) => status === 'not_represented',
    })
    expect(await runOf(id).result()).toEqual({ moved: 1 })
    const again = await stack.call('DELETE', `/integrations/${id}`, {
      deactivationType: 'dueDate',
      deactivationDate: FAR,
    })
    expect(again).toMatchObject({ status: 400, body: { code: 'deactivation_final' } })
    const successor = await stack.connectStripe({ externalIdentifier: account })
    expect(successor).not.toBe(id)
  }, 120_000)

  test('restarts a terminated or deleted run, and catches up a date that passed without a worker', async () => {
    const id = await stack.connectStripe({ externalIdentifier: newAccount() })
    await deactivate(`/integrations/${id}`, 'postingDate', FAR)
    const runId = async () => {
      const { status, runId } = await runOf(id).describe()
      return status.name === 'RUNNING' ? runId : ''
    }
    const first = await until('its run waits', runId)
    await runOf(id).terminate('an operator tries it out')
    await sweepNow(id)
    const not = (earlier: string) => ({ holds: (found: string) => found !== '' && found !== earlier, ...soon })
    const second = await until('another run waits', runId, not(first))
    await stack.temporal.workflowService.deleteWorkflowExecution({
      namespace: stack.namespace,
      workflowExecution: { workflowId: runOf(id).workflowId },
    })
    await until('it is deleted', () => runId().catch(() => 'gone'), not(second))
    await sweepNow(id)
    await until('a third run waits', runId, not(second))
    expect(await effectiveAt(id)).toBe(FAR)

    await stack.workers.at(-1)?.stop()
    const date = later(4)
    await deactivate(`/integrations/${id}`, 'postingDate', date)
    await until('the date passes', () => Date.now() > Date.parse(date))
    const meanwhile = await statusOf(id)
    await stack.startWorker()
    expect(meanwhile).toBe('SUCCESSFUL')
    await isInactive(id)
  }, 180_000)
})

describe('deactivation of the merchant', () => {
  test('at once with a past date: existing and later chargebacks are not represented, but still updated', async () => {
    const account = newAccount()
    const before = await createDispute(stack, { account, dueInHours: 400, stage: 'chargeback' })
    const id = await stack.connectStripe({ externalIdentifier: account })
    expect(['waiting_for_data', 'building_evidence']).toContain((await chargebackOf(stack, before)).status)
    await deactivate('/merchants', 'dueDate', later(-60))
    const merchant = await stack.call('GET', `/merchants/${stack.merchantUuid}`)
    expect(merchant.body.status).toBe('Inactive')
    const notRepresented = { holds: ({ status }: Record<string, string>) => status === 'not_represented' }
    await until('it is not represented', () => chargebackOf(stack, before), notRepresented)
    const after = await createDispute(stack, { account, dueInHours: 400, stage: 'chargeback' })
    await pollNow(stack, id)
    expect(await chargebackOf(stack, after)).toMatchObject({ status: 'not_represented', pspStatus: 'needs_response' })
    expect(await statusOf(id)).toBe('SUCCESSFUL')
    expect((await runOf(stack.merchantUuid, 'merchant').result()).moved).toBeGreaterThanOrEqual(1)
  }, 120_000)
})

import { PDFDocument } from '@cantoo/pdf-lib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommandLine } from '../../../cli/run.ts'
import { pollScheduleId } from '../../../workflows/contract.ts'
import {
  acceptanceEnd,
  chargebackOf,
  createDispute,
  pollNow,
  reconcileNow,
  submissionEnd,
  upload,
} from '../../harness/rows.ts'
import { latestRunOf, runOf } from '../../harness/runs.ts'
import { testServers } from '../../harness/servers.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { until } from '../../harness/until.ts'

/** The calls that the buttons of the Temporal UI make. Terminated runs: acceptance and reconcile-commands tests. */
let stack: Stack
let integrationId: string
let fileId: string
beforeAll(async () => {
  stack = await startStack()
  integrationId = await stack.connectStripe()
  const document = await PDFDocument.create()
  document.addPage().drawText('Delivered on 5 May.')
  fileId = await upload(stack, Buffer.from(await document.save()))
})
afterAll(() => stack[Symbol.asyncDispose]())

interface Command {
  ref: string
  id: string
  workflowId: string
  /** The irreversible request to the PSP. */
  write: { path: string; body?: string }
  status(): Promise<string>
  end(): Promise<Record<string, string>>
}

const COMMANDS = {
  acceptance: async (ref: string, id: string): Promise<Command> => {
    await stack.call('POST', `/chargebacks/${id}/accept`)
    return {
      ...{ ref, id, workflowId: await latestRunOf(stack.db, id), write: { path: `/v1/disputes/${ref}/close` } },
      status: async () => (await stack.call('GET', `/chargebacks/${id}/accept`)).body.status,
      end: () => acceptanceEnd(stack, id, 60_000),
    }
  },
  submission: async (ref: string, id: string): Promise<Command> => {
    const { body } = await stack.call('POST', `/chargebacks/${id}/evidence/submit`, { fileId })
    return {
      ...{ ref, id, workflowId: await runOf(stack.db, body.id), write: writeOf.submission(ref) },
      status: async () => (await stack.call('GET', `/chargebacks/${id}/evidence/submit/${body.id}`)).body.status,
      end: () => submissionEnd(stack, id, body.id),
    }
  },
}
const writeOf = {
  acceptance: (ref: string) => ({ path: `/v1/disputes/${ref}/close` }),
  submission: (ref: string) => ({ path: `/v1/disputes/${ref}`, body: 'submit=true' }),
}

/** A command whose write gets 503 from the PSP until `removeFaults`. */
async function stuck(kind: keyof typeof COMMANDS): Promise<Command> {
  const ref = await createDispute(stack, { stage: 'chargeback' })
  await pollNow(stack, integrationId)
  const { id = '' } = await chargebackOf(stack, ref)
  await stack.control('POST', '/faults', { kind: '503_empty', count: 10_000, match: writeOf[kind](ref) })
  const command = await COMMANDS[kind](ref, id)
  await until('the PSP refused it once', async () => wasRefused(ref))
  return command
}

async function wasRefused(ref: string): Promise<boolean> {
  const { body } = await stack.control('GET', '/calls?method=POST')
  return body.calls.some(
    (call: { path: string; outcome: string }) => call.path.includes(ref) && call.outcome !== 'answered',
  )
}

const removeFaults = () => stack.control('DELETE', '/faults')
interface AnActivity {
  namespace: string
  execution: { workflowId: string }
  identity: string
  id: string
}

const service = () => stack.temporal.workflowService
const target = ({ workflowId }: Command) => ({ namespace: stack.namespace, execution: { workflowId } })
async function effectsOf(kind: keyof typeof COMMANDS, ref: string): Promise<unknown[]> {
  return (await stack.control('GET', `/effects?ref=${ref}&kind=${kind}`)).body.effects
}

/** PENDING_ACTIVITY_STATE_PAUSED: no attempt is running; right after the request one may still be. */
const PAUSED = 4

/** The activity that is running or waits for its next attempt. */
async function pendingActivity(command: Command): Promise<{ id: string; paused: boolean }> {
  const { raw } = await stack.temporal.workflow.getHandle(command.workflowId).describe()
  const [activity] = raw.pendingActivities ?? []
  return { id: activity?.activityId ?? '', paused: activity?.state === PAUSED }
}

// No retry of tests: an effect that is sometimes doubled must fail.
describe.each(['acceptance', 'submission'] as const)('%s, controlled by an operator', (kind) => {
  test.each([
    ['unpaused', (activity: AnActivity) => service().unpauseActivity(activity)],
    ['its activity reset', (activity: AnActivity) => service().resetActivity(activity)],
  ])(
    'paused, it sends nothing; %s, it continues and takes effect once',
    async (_, proceed) => {
      const command = await stuck(kind)
      const { id } = await pendingActivity(command)
      await service().pauseActivity({ ...target(command), identity: 'an operator', id, reason: 'looking into it' })
      await until('it is paused', async () => (await pendingActivity(command)).paused)
      await removeFaults()
      expect(await command.status()).toBe('inProgress')
      expect(await effectsOf(kind, command.ref)).toHaveLength(0)
      await proceed({ ...target(command), identity: 'an operator', id })
      expect(await command.end()).toMatchObject({ status: 'succeeded' })
      expect(await effectsOf(kind, command.ref)).toHaveLength(1)
    },
    120_000,
  )

  test('cancelled between two attempts: its run is cancelled, it is flagged, and nothing is sent later', async () => {
    const command = await stuck(kind)
    const handle = stack.temporal.workflow.getHandle(command.workflowId)
    await handle.cancel()
    await until('its run is cancelled', () => handle.describe(), { holds: ({ status }) => status.name === 'CANCELLED' })
    await removeFaults()
    const row = () =>
      stack.db
        .selectFrom('command')
        .select(['status', 'needs_attention', 'attention_reason', 'checked_at'])
        .where('chargeback_id', '=', command.id)
        .executeTakeFirstOrThrow()
    // Makes the next check of the reconciler due.
    const before = new Date(0)
    await stack.db.updateTable('command').set({ checked_at: before }).where('chargeback_id', '=', command.id).execute()
    await reconcileNow(stack)
    await until('the reconciler has checked it', row, {
      holds: ({ checked_at }) => Number(checked_at) > Number(before),
    })
    expect(await row()).toMatchObject({
      ...{ status: 'inProgress', needs_attention: true, attention_reason: 'stopped by an operator' },
    })
    expect((await handle.describe()).status.name).toBe('CANCELLED')
    expect(await effectsOf(kind, command.ref)).toHaveLength(0)
  }, 120_000)

  test('reset while it is running: the new run finishes it, one effect', async () => {
    const command = await stuck(kind)
    await resetToStart(command)
    await removeFaults()
    expect(await command.end()).toMatchObject({ status: 'succeeded' })
    expect(await effectsOf(kind, command.ref)).toHaveLength(1)
  }, 120_000)

  test('reset after its end: nothing is sent again, the rows stay', async () => {
    const command = await stuck(kind)
    await removeFaults()
    const before = await command.end()
    const handle = stack.temporal.workflow.getHandle(command.workflowId)
    const ended = () =>
      until('the run has closed', () => handle.describe(), { holds: ({ status }) => status.name !== 'RUNNING' })
    await ended()
    await resetToStart(command)
    expect((await ended()).status.name).toBe('COMPLETED')
    expect(await command.end()).toEqual(before)
    expect(await effectsOf(kind, command.ref)).toHaveLength(1)
  }, 120_000)
})

async function resetToStart({ workflowId }: Command): Promise<void> {
  const { events } = await stack.temporal.workflow.getHandle(workflowId).fetchHistory()
  const first = events?.find((event) => event.workflowTaskCompletedEventAttributes)
  await service().resetWorkflowExecution({
    namespace: stack.namespace,
    workflowExecution: { workflowId },
    workflowTaskFinishEventId: first?.eventId ?? null,
    reason: 'an operator tries',
    requestId: `reset-${workflowId}`,
  })
}

describe('the command line, next to the UI', () => {
  async function recoup(...args: string[]) {
    const printed: string[] = []
    const env = {
      ...{ DATABASE_URL: stack.databaseUrl, TEMPORAL_NAMESPACE: stack.namespace },
      TEMPORAL_ADDRESS: testServers().temporalAddress,
    }
    const print = (text: string) => void printed.push(text)
    expect(await runCommandLine([...args, '--json'], { env, out: print, err: print }), printed.join()).toBe(0)
    return JSON.parse(printed.join())
  }

  test('shows attempts and the last error of a job that is retried', async () => {
    const command = await stuck('acceptance')
    const [{ jobId }] = await recoup('job', 'list', '--limit', '1')
    const shown = await until('it was tried twice', () => recoup('job', 'show', jobId), {
      holds: ({ attempts, lastError }) => attempts >= 2 && lastError !== null,
    })
    expect(shown).toMatchObject({
      ...{ jobId, status: 'inProgress', run: 'RUNNING', step: 'acceptAtPsp', lastErrorKind: 'outcome_unknown' },
      lastError: expect.stringMatching(/^Stripe did not say whether it applied the request/),
      lastAttemptAt: expect.stringMatching(/^2/),
      operations: [{ effect: expect.stringMatching(/^accept:/), outcome: 'outcome_unknown' }],
    })
    expect(shown.operations[0].attempts).toBeGreaterThanOrEqual(1)
    expect(JSON.stringify(shown)).not.toMatch(/[sr]k_test|shop\.example/)
    await removeFaults()
    expect(await command.end()).toMatchObject({ status: 'succeeded' })
    const ended = await recoup('job', 'show', jobId)
    expect(ended).toMatchObject({ status: 'succeeded', operations: [{ outcome: 'applied' }] })
    expect(ended).not.toHaveProperty('lastError')
  })

  test('pauses polls: the schedule’s note says who and why, and is removed with the pause', async () => {
    const stateOf = async () =>
      (await stack.temporal.schedule.getHandle(pollScheduleId(integrationId)).describe()).state
    await recoup('integration', 'pause', integrationId, '--operator', 'alice', '--reason', 'The bank moves.')
    const state = await until('the schedule is paused', stateOf, { holds: ({ paused }) => paused })
    expect(state.note).toBe('paused by an operator (alice): The bank moves.')
    await reconcileNow(stack)
    await recoup('integration', 'resume', integrationId, '--operator', 'bob')
    expect((await until('it polls again', stateOf, { holds: ({ paused }) => !paused })).note).toBe('')
    const { problem } = (await stack.call('GET', `/integrations/${integrationId}`)).body
    expect(problem).toBeUndefined()
  })
})

import type { WorkflowExecutionStatusName } from '@temporalio/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadCommand } from '../../../../db/commands/commands.ts'
import { listJobs, resolveJob } from '../../../../db/commands/jobs.ts'
import { runOf } from '../../../harness/runs.ts'
import { type Fixture, openFixture, pdfOf, subjectOf } from './submission-fixture.ts'

/** States of workflow runs by command, as Temporal reports them. */
const runs = new Map<string, WorkflowExecutionStatusName>()
const signals: string[] = []
const SUBMITTED = { status: 'pending_psp_results', status_reason: 'Evidence was submitted.' }
let fixture: Fixture
let db: Fixture['stage']['db']
const temporal = {
  workflow: {
    getHandle: (workflowId: string) => ({
      describe: async () => {
        const found = [...runs.keys()].map(async (id) => ((await runOf(db, id)) === workflowId ? id : ''))
        const commandId = (await Promise.all(found)).find(Boolean) ?? ''
        return { memo: { commandId }, status: { name: runs.get(commandId) ?? 'RUNNING' } }
      },
      signal: async (name: string) => void signals.push(`${workflowId} ${name}`),
    }),
  },
}

/** The reconciler with a real database and a simulated PSP; the test sets the states of runs. */
describe('a reconciled command', () => {
  let fileId: string
  const warned: string[] = []
  beforeAll(async () => {
    fixture = await openFixture(subjectOf('stripe'), {
      temporal: temporal as never,
      log: { info() {}, warn: (_fields: object, message: string) => void warned.push(message) },
    })
    db = fixture.stage.db
    fileId = await fixture.file(await pdfOf(1))
  })
  afterAll(() => fixture[Symbol.asyncDispose]())

  const reconcile = () =>
    fixture.run(fixture.activities.settleCommands as (input: undefined) => Promise<number>, undefined)
  /** A submission that was requested `minutes` ago, so that the reconciler checks it. */
  async function aged(id: string, minutes = 5): Promise<string> {
    const submission = await fixture.request(id, fileId)
    const requested_at = new Date(Date.now() - minutes * 60_000)
    await db.updateTable('command').set({ requested_at }).where('command_id', '=', submission).execute()
    return submission
  }
  const prepare = async (submitEvidenceId: string) => {
    await fixture.run(fixture.activities.planEvidence, { submitEvidenceId })
    await fixture.run(fixture.activities.uploadFile, { submitEvidenceId, step: 0 })
    await fixture.run(fixture.activities.stageAtPsp, { submitEvidenceId })
  }
  const outOfTime = async (submission: string) => {
    runs.set(submission, 'FAILED')
    const deadline = new Date(Date.now() - 1000)
    await db.updateTable('command').set({ deadline }).where('command_id', '=', submission).execute()
  }
  /** Sets the last check to that many seconds ago. */
  const setLastCheck = (submission: string, seconds = 60 * 60) =>
    db
      .updateTable('command')
      .set({ checked_at: new Date(Date.now() - seconds * 1000) })
      .where('command_id', '=', submission)
      .execute()
  const resolve = (jobId: string, as: 'succeeded' | 'failed', reason: string) =>
    resolveJob(db, { jobId, as, reason, operator: 'alice' })
  const timeline = async (id: string) =>
    db
      .selectFrom('timeline_event')
      .select(['source', 'what', 'after'])
      .where('chargeback_id', '=', id)
      .orderBy('timeline_event_id')
      .execute()

  test('terminated after the PSP accepted it: succeeded, as the PSP shows', async () => {
    const { ref, id } = await fixture.open()
    const submission = await aged(id)
    await prepare(submission)
    await fixture.run(fixture.activities.submitAtPsp, { submitEvidenceId: submission })
    runs.set(submission, 'TERMINATED')
    await reconcile()
    expect(await fixture.read(id, submission)).toMatchObject({ status: 'succeeded' })
    expect(await fixture.chargeback(ref)).toMatchObject(SUBMITTED)
    expect((await timeline(id)).filter(({ source }) => source === 'reconciler')).toMatchObject([
      { what: 'evidence submission succeeded', after: { submitEvidenceId: submission } },
    ])
  })

  test('terminated before it was sent: flagged, inProgress for the client; an operator resolves it as failed', async () => {
    const { ref, id } = await fixture.open()
    const submission = await aged(id)
    await prepare(submission)
    runs.set(submission, 'TERMINATED')
    await reconcile()
    expect(await fixture.read(id, submission)).toMatchObject({ status: 'inProgress' })
    expect(await loadCommand(db, submission)).toMatchObject({ needsAttention: true })
    const reason = 'Stopped by mistake: submit the file again.'
    expect(await resolve(submission, 'failed', reason)).toMatchObject({ status: 'failed' })
    expect(await fixture.read(id, submission)).toMatchObject({ status: 'failed', error: reason })
    expect((await timeline(id)).filter(({ source }) => source === 'operator')).toMatchObject([
      { what: 'evidence submission failed', after: { submitEvidenceId: submission, reason, operator: 'alice' } },
    ])
    const second = await fixture.request(id, fileId)
    await fixture.work(second)
    expect(await fixture.effects(ref, 'submission')).toHaveLength(1)
  })

  test('terminated before it was planned: flagged, nothing was sent', async () => {
    const { ref, id } = await fixture.open()
    const submission = await aged(id)
    runs.set(submission, 'TERMINATED')
    await reconcile()
    expect(await loadCommand(db, submission)).toMatchObject({ status: 'inProgress', needsAttention: true })
    expect(await fixture.effects(ref, 'submission')).toEqual([])
  })

  test('resolved as succeeded by an operator: the chargeback waits for the PSP, a later attempt sends nothing', async () => {
    const { ref, id } = await fixture.open()
    const submission = await aged(id)
    await prepare(submission)
    runs.set(submission, 'TERMINATED')
    await reconcile()
    await resolve(submission, 'succeeded', 'Submitted in the dashboard.')
    expect(await fixture.chargeback(ref)).toMatchObject({ status: 'pending_psp_results' })
    await fixture.work(submission)
    expect(await fixture.effects(ref, 'submission')).toEqual([])
  })

  test('an operator cannot resolve a command that is running or has ended', async () => {
    const { id } = await fixture.open()
    const submission = await fixture.request(id, fileId)
    await expect(resolve(submission, 'failed', 'No.')).rejects.toMatchObject({ code: 'job_at_work' })
    await fixture.work(submission)
    await expect(resolve(submission, 'failed', 'No.')).rejects.toMatchObject({ code: 'job_ended' })
  })

  test('decided at the PSP after a call without a response: failed only when the PSP shows it', async () => {
    const { ref, id } = await fixture.open()
    const submission = await aged(id)
    await prepare(submission)
    await fixture.control('POST', '/faults', {
      ...{ kind: 'reset', count: 1, match: { path: '/v1/disputes/*', body: 'submit=true' } },
    })
    await expect(fixture.run(fixture.activities.submitAtPsp, { submitEvidenceId: submission })).rejects.toThrow()
    runs.set(submission, 'TERMINATED')
    await reconcile()
    expect(await fixture.read(id, submission)).toMatchObject({ status: 'inProgress' })
    await fixture.control('POST', `/disputes/${ref}/decide`, { outcome: 'won' })
    await setLastCheck(submission)
    await reconcile()
    expect(await fixture.read(id, submission)).toMatchObject({ status: 'failed' })
    expect(await fixture.effects(ref, 'submission')).toEqual([])
  })

  test('still unknown after its deadline: flagged, never failed, although its run has closed', async () => {
    const { id } = await fixture.open()
    const submission = await aged(id)
    await prepare(submission)
    await fixture.control('POST', '/faults', {
      ...{ kind: 'reset', count: 1, match: { path: '/v1/disputes/*', body: 'submit=true' } },
    })
    await expect(fixture.run(fixture.activities.submitAtPsp, { submitEvidenceId: submission })).rejects.toThrow()
    await outOfTime(submission)
    await reconcile()
    expect(await fixture.read(id, submission)).toMatchObject({ status: 'inProgress' })
    expect(await loadCommand(db, submission)).toMatchObject({ needsAttention: true })
  })

  test.each([
    ['planned', prepare],
    ['not even planned', async () => {}],
  ])('%s and never sent by its deadline: failed, so that it can be requested again', async (_, before) => {
    const { ref, id } = await fixture.open()
    const submission = await aged(id)
    await before(submission)
    await outOfTime(submission)
    await reconcile()
    expect(await fixture.read(id, submission)).toMatchObject({
      ...{ status: 'failed', error: expect.stringMatching(/request it again/) },
    })
    await fixture.work(await fixture.request(id, fileId))
    expect(await fixture.effects(ref, 'submission')).toHaveLength(1)
  })

  test('unreadable at the PSP by its deadline: flagged, failed when the PSP shows that nothing came', async () => {
    const { id } = await fixture.open()
    const submission = await aged(id)
    await prepare(submission)
    await outOfTime(submission)
    await fixture.control('POST', '/faults', { kind: '500', count: 100, match: { path: '/v1/disputes/*' } })
    await reconcile()
    await fixture.control('DELETE', '/faults')
    expect(await loadCommand(db, submission)).toMatchObject({ status: 'inProgress', needsAttention: true })
    await setLastCheck(submission)
    await reconcile()
    expect(await fixture.read(id, submission)).toMatchObject({ status: 'failed' })
  })

  test('terminated hours after its request, after a check that found it running: flagged by the next', async () => {
    const { id } = await fixture.open()
    const submission = await aged(id, 10 * 60)
    runs.set(submission, 'RUNNING')
    await reconcile()
    runs.set(submission, 'TERMINATED')
    await setLastCheck(submission, 20)
    await reconcile()
    expect(await loadCommand(db, submission)).toMatchObject({ needsAttention: true })
  })

  test('cancelled before it was sent: flagged as stopped by an operator, never started again', async () => {
    const { id } = await fixture.open()
    const submission = await aged(id)
    await prepare(submission)
    runs.set(submission, 'CANCELLED')
    await reconcile()
    const [job] = await listJobs(db, { jobId: submission, limit: 1 })
    expect(job).toMatchObject({ status: 'inProgress', attentionReason: 'stopped by an operator' })
  })

  test('due soon and still open: reported once by log, timeline, flag and signal, not to the client', async () => {
    const { id } = await fixture.open({ dueInHours: 11 })
    const submission = await aged(id, 1)
    runs.set(submission, 'RUNNING')
    warned.length = 0
    await reconcile()
    await reconcile()
    expect(warned.filter((message) => message === 'command due soon and still open')).toHaveLength(1)
    const run = await runOf(db, submission)
    expect(signals.filter((line) => line === `${run} dueSoon`)).toHaveLength(1)
    expect((await timeline(id)).filter(({ source }) => source === 'deadline')).toMatchObject([
      { what: 'evidence submission due soon and still open', after: { submitEvidenceId: submission } },
    ])
    expect(await loadCommand(db, submission)).toMatchObject({ needsAttention: true })
    expect(await fixture.read(id, submission)).toMatchObject({ status: 'created' })
    await fixture.work(submission)
    expect(await loadCommand(db, submission)).toMatchObject({ status: 'succeeded', needsAttention: false })
  })

  test('not due soon, or requested a moment ago: not reported', async () => {
    const early = await fixture.open({ dueInHours: 13 })
    const [submission, fresh] = [await aged(early.id, 1), await fixture.open({ dueInHours: 11 })]
    await fixture.request(fresh.id, fileId)
    runs.set(submission, 'RUNNING')
    await reconcile()
    for (const { id } of [early, fresh])
      expect((await timeline(id)).filter(({ source }) => source === 'deadline')).toEqual([])
  })
})

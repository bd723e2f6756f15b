import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adapterFor as registered } from '../../../../adapters/registry.ts'
import { endCommand } from '../../../../db/commands/command-ends.ts'
import { loadCommand } from '../../../../db/commands/commands.ts'
import type { ActivityDeps } from '../../../../workflows/activities/deps.ts'
import { type Fixture, openFixture, pdfOf, subjectOf } from './submission-fixture.ts'

/** The number of next probes that don't see the write yet. */
let lagging = 0
const adapterFor: ActivityDeps['adapterFor'] = (source, secretType) => {
  const definition = registered(source, secretType)
  if (!definition) return definition
  return {
    ...definition,
    connect(context) {
      const adapter = definition.connect(context)
      const { probe } = adapter
      if (!probe) return adapter
      const stale: typeof probe = async (question) => {
        const seen = await probe(question)
        if (lagging === 0) return seen
        lagging -= 1
        return { ...seen, answer: 'not_done' }
      }
      return { ...adapter, probe: stale }
    },
  }
}

describe('stripe', () => {
  let fixture: Fixture
  let fileId: string
  beforeAll(async () => {
    fixture = await openFixture(subjectOf('stripe'), { adapterFor })
    fileId = await fixture.file(await pdfOf(1))
  })
  afterAll(() => fixture[Symbol.asyncDispose]())
  const submissions = async (ref: string) => (await fixture.effects(ref, 'submission')).length
  const ledger = (id: string) =>
    fixture.stage.db
      .selectFrom('psp_operation')
      .selectAll()
      .where('command_id', '=', id)
      .orderBy('first_sent_at')
      .execute()

  test('the ledger has a row for each write, with its idempotency key', async () => {
    const { ref, id } = await fixture.open()
    const submission = await fixture.request(id, fileId)
    await fixture.work(submission)
    const rows = await ledger(submission)
    expect(rows.map(({ effect, state, attempts }) => [effect, state, attempts])).toEqual([
      [`upload:${submission}:0`, 'confirmed', 1],
      [`stage:${submission}`, 'confirmed', 1],
      [`submit:stripe:${fixture.account}:${ref}:1`, 'confirmed', 1],
    ])
    const { calls } = await fixture.control('GET', '/calls?method=POST')
    const keys = calls.map((call: { idempotencyKey: string }) => call.idempotencyKey)
    for (const { idempotency_key: key } of rows) expect(keys.some((sent: string) => sent.includes(key))).toBe(true)
    expect(await submissions(ref)).toBe(1)
  })

  test('data points of the client fill Stripe’s fields, are sealed until then and deleted afterwards', async () => {
    const { ref, id } = await fixture.open()
    const points = { transactionOrderEmail: 'jane@roe.example', shippingTrackingNumber: '1Z 999', unheardOf: 'x' }
    expect((await fixture.stage.call('PATCH', `/v1/chargebacks/${id}`, { body: points })).status).toBe(201)
    const submission = await fixture.request(id, fileId)
    const row = () =>
      fixture.stage.db
        .selectFrom('evidence_submission')
        .selectAll()
        .where('command_id', '=', submission)
        .executeTakeFirstOrThrow()
    await fixture.run(fixture.activities.planEvidence, { submitEvidenceId: submission })
    const planned = await row()
    expect(planned.persons).toHaveLength(1)
    expect(JSON.stringify(planned)).not.toContain('jane@roe')
    await fixture.work(submission)
    expect(await row()).toMatchObject({ texts_sealed: null, persons: [] })
    const { object } = await fixture.control('GET', `/disputes/${ref}`)
    expect(object.evidence).toMatchObject({
      customer_email_address: 'jane@roe.example',
      shipping_tracking_number: '1Z 999',
    })
  })

  test('more pages than this dispute allows: failed with an error message, nothing was sent', async () => {
    const { ref, id } = await fixture.open()
    const submission = await fixture.request(id, await fixture.file(await pdfOf(51)))
    const before = (await fixture.control('GET', '/calls?method=POST')).calls.length
    await fixture.work(submission)
    expect(await fixture.read(id, submission)).toMatchObject({
      status: 'failed',
      error: 'The PDF has 51 pages: at most 50 are taken for this chargeback.',
    })
    expect((await fixture.control('GET', '/calls?method=POST')).calls).toHaveLength(before)
    expect(await submissions(ref)).toBe(0)
    const second = await fixture.request(id, fileId)
    await fixture.work(second)
    expect(await fixture.read(id, second)).toMatchObject({ status: 'succeeded' })
    expect(await submissions(ref)).toBe(1)
  })

  test('decided at the PSP before it was sent: failed with an error message, the outcome is stored', async () => {
    const { ref, id } = await fixture.open()
    const submission = await fixture.request(id, fileId)
    await fixture.control('POST', `/disputes/${ref}/decide`, { outcome: 'won' })
    await fixture.work(submission)
    expect(await fixture.read(id, submission)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/\w+ \w+/),
    })
    expect(await submissions(ref)).toBe(0)
    expect(await fixture.chargeback(ref)).toMatchObject({ psp_status: 'won', status: 'pending_psp_results' })
  })

  test('an upload whose response is lost is sent again under its key; evidence is submitted once', async () => {
    const { ref, id } = await fixture.open()
    await fixture.control('POST', '/faults', { kind: 'reset_after_apply', count: 1, match: { path: '/v1/files' } })
    const submission = await fixture.request(id, fileId)
    await fixture.work(submission)
    expect(await fixture.read(id, submission)).toMatchObject({ status: 'succeeded' })
    expect(await submissions(ref)).toBe(1)
  })

  test('the due date passes between staging and submitting: failed, nothing is submitted', async () => {
    const { ref, id } = await fixture.open()
    const submission = await fixture.request(id, fileId)
    fixture.atFaultPoint.set('submit.after_stage', async () => {
      const due = { due_date: new Date(Date.now() - 1000) }
      await fixture.stage.db.updateTable('chargeback').set(due).where('id', '=', id).execute()
    })
    await fixture.work(submission).finally(() => fixture.atFaultPoint.clear())
    expect(await fixture.read(id, submission)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/due date/),
    })
    expect(await submissions(ref)).toBe(0)
  })

  test('a new round starts before anything is staged: failed, nothing is left at the PSP', async () => {
    const { ref, id } = await fixture.open()
    const submission = await fixture.request(id, fileId)
    fixture.atFaultPoint.set('submit.before_stage', async () => {
      await fixture.stage.db.updateTable('chargeback').set({ round: 2 }).where('id', '=', id).execute()
    })
    await fixture.work(submission).finally(() => fixture.atFaultPoint.clear())
    expect(await fixture.read(id, submission)).toMatchObject({ status: 'failed', error: expect.stringMatching(/anew/) })
    expect((await ledger(submission)).map(({ effect }) => effect)).not.toContain(`stage:${submission}`)
    expect(await submissions(ref)).toBe(0)
  })

  test('frozen between probe and call while another attempt sends: it resumes and sends nothing', async () => {
    const { ref, id } = await fixture.open()
    const submission = await fixture.request(id, fileId)
    const submitEvidenceId = submission
    const { activities, run } = fixture
    await run(activities.planEvidence, { submitEvidenceId })
    await run(activities.uploadFile, { submitEvidenceId, step: 0 })
    await run(activities.stageAtPsp, { submitEvidenceId })
    let wake = () => {}
    const frozen = new Promise<void>((asleep) => {
      fixture.atFaultPoint.set('submit.before_psp', () => {
        fixture.atFaultPoint.clear()
        asleep()
        return new Promise<void>((resolve) => {
          wake = resolve
        })
      })
    })
    const zombie = run(activities.submitAtPsp, { submitEvidenceId }).catch((error: Error) => error.message)
    await frozen
    await run(activities.submitAtPsp, { submitEvidenceId })
    wake()
    expect(await zombie).toMatch(/another attempt/)
    expect(await submissions(ref)).toBe(1)
    expect(await ledger(submission)).toMatchObject([{}, {}, { state: 'confirmed', attempts: 1 }])
    await fixture.work(submission)
    expect(await fixture.read(id, submission)).toMatchObject({ status: 'succeeded' })
  })

  test('ended by an operator between probe and call: nothing is sent', async () => {
    const { ref, id } = await fixture.open()
    const submission = await fixture.request(id, fileId)
    fixture.atFaultPoint.set('submit.before_psp', async () => {
      const command = await loadCommand(fixture.stage.db, submission)
      const end = { status: 'failed', code: 'resolved_by_operator', error: 'Answered by hand.' } as const
      if (command) await endCommand(fixture.stage.db, command, end, 'operator')
    })
    await fixture.work(submission).finally(() => fixture.atFaultPoint.clear())
    expect(await fixture.read(id, submission)).toMatchObject({ status: 'failed', error: 'Answered by hand.' })
    expect(await submissions(ref)).toBe(0)
  })

  test('a run that is reset after its end sends nothing', async () => {
    const { ref, id } = await fixture.open()
    const submission = await fixture.request(id, fileId)
    await fixture.work(submission)
    const calls = (await fixture.control('GET', '/calls')).calls.length
    await fixture.work(submission)
    expect((await fixture.control('GET', '/calls')).calls).toHaveLength(calls)
    expect(await submissions(ref)).toBe(1)
  })

  test('a stale read after a write whose response was lost: read again, sent once', async () => {
    const { ref, id } = await fixture.open()
    const submitEvidenceId = await fixture.request(id, fileId)
    const { activities, run } = fixture
    const match = { path: `/v1/disputes/${ref}`, body: 'submit=true' }
    await fixture.control('POST', '/faults', { kind: 'reset_after_apply', count: 1, match })
    await run(activities.planEvidence, { submitEvidenceId })
    await run(activities.uploadFile, { submitEvidenceId, step: 0 })
    await run(activities.stageAtPsp, { submitEvidenceId })
    await expect(run(activities.submitAtPsp, { submitEvidenceId })).rejects.toThrow()
    lagging = 1
    expect(await run(activities.submitAtPsp, { submitEvidenceId })).toMatchObject({ probe: 'done' })
    expect(lagging).toBe(0)
    expect((await ledger(submitEvidenceId)).at(-1)).toMatchObject({ state: 'confirmed', attempts: 1 })
    expect(await submissions(ref)).toBe(1)
  })

  test('refused while the outcome of an earlier call is unknown: flagged, never failed', async () => {
    const { id } = await fixture.open()
    const submission = await fixture.request(id, fileId)
    const { activities, run } = fixture
    await fixture.control('POST', '/faults', {
      ...{
        kind: 'reset_after_apply',
        count: 1,
        match: { path: '/v1/disputes/*', body: 'submit=true' },
      },
    })
    await run(activities.planEvidence, { submitEvidenceId: submission })
    await run(activities.uploadFile, { submitEvidenceId: submission, step: 0 })
    await run(activities.stageAtPsp, { submitEvidenceId: submission })
    await expect(run(activities.submitAtPsp, { submitEvidenceId: submission })).rejects.toThrow()
    const refusal = { commandId: submission, kind: 'auth_failed', message: 'The key was refused.' }
    expect(await run(activities.recordRefusal, refusal)).toEqual({ ended: false })
    expect(await fixture.read(id, submission)).toMatchObject({ status: 'inProgress' })
    expect(await loadCommand(fixture.stage.db, submission)).toMatchObject({ needsAttention: true })
    await fixture.work(submission)
    expect(await fixture.read(id, submission)).toMatchObject({ status: 'succeeded' })
    // An operator resets its run.
    expect(await run(activities.recordRefusal, refusal)).toEqual({ ended: true })
  })
})

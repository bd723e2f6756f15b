import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SUBJECTS } from '../../../../adapters/conformance/subjects.ts'
import { runDraft } from '../../../../workflows/starters/draft.ts'
import { connectLazily } from '../../../../workflows/starters/temporal.ts'
import { type Fixture, openFixture, pdfOf, subjectOf } from './submission-fixture.ts'

const plan = (fixture: Fixture, id: string, body: unknown) =>
  fixture.stage.call('POST', `/v1/chargebacks/${id}/evidence/plan`, { body })

describe.each(SUBJECTS)('POST /chargebacks/{id}/evidence/plan at $definition.source', (subject) => {
  test('returns requirements and steps, sends nothing, and the submission follows them', async () => {
    await using fixture = await openFixture(subject)
    const { ref, id } = await fixture.open()
    const fileId = await fixture.file(await pdfOf(1))
    const { status, body } = await plan(fixture, id, { fileId })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { message: 'Evidence plan', data: { submittable: true } },
    })
    const { requirements, steps } = body.data
    expect(requirements.fileTypes).toContain('application/pdf')
    expect(Date.parse(requirements.dueDate)).toBeGreaterThan(Date.now())
    const staged = subject.definition.capabilities.contest && subject.definition.capabilities.contest.mode === 'staged'
    expect(steps.map((step: { do: string }) => step.do)).toEqual(['upload', ...(staged ? ['stage'] : []), 'submit'])
    expect(await fixture.control('GET', `/effects?ref=${ref}`)).toMatchObject({ effects: [] })
    expect(await fixture.effects('', 'upload')).toEqual([])
    expect(await fixture.stage.db.selectFrom('command').selectAll().execute()).toEqual([])
    const submission = await fixture.request(id, fileId)
    await fixture.work(submission)
    const row = await fixture.stage.db.selectFrom('evidence_submission').select('plan').executeTakeFirstOrThrow()
    expect(row.plan).toMatchObject({ fields: [steps[0].field] })
  })
})

describe('POST /chargebacks/{id}/evidence/plan', () => {
  let fixture: Fixture
  let fileId: string
  beforeAll(async () => {
    fixture = await openFixture(subjectOf('stripe'))
    fileId = await fixture.file(await pdfOf(1))
  })
  afterAll(() => fixture[Symbol.asyncDispose]())

  test('shows why the file cannot be submitted, with the requirements', async () => {
    const { id } = await fixture.open()
    const { body } = await plan(fixture, id, { fileId: await fixture.file(await pdfOf(51)) })
    expect(body.data).toMatchObject({
      ...{ submittable: false, code: 'evidence_refused', steps: [], requirements: { maxPages: 50 } },
      reason: 'The PDF has 51 pages: at most 50 are taken for this chargeback.',
    })
  })

  test('shows what the API itself would refuse', async () => {
    const { id } = await fixture.open()
    await fixture.stage.call('POST', `/v1/chargebacks/${id}/accept`)
    expect((await plan(fixture, id, { fileId })).body.data).toMatchObject({
      ...{ submittable: false, code: 'acceptance_exists', reason: expect.stringMatching(/accepted/), steps: [] },
      requirements: { oneShot: true },
    })
  })

  test('reports a refused credential without a retry', async () => {
    const { ref, id } = await fixture.open()
    await fixture.control('POST', '/faults', { kind: '403', count: 50, match: { path: `/v1/disputes/${ref}` } })
    const { body } = await plan(fixture, id, { fileId })
    await fetch(`${fixture.controlUrl}/faults`, { method: 'DELETE' })
    expect(body.data).toMatchObject({ submittable: false, code: 'permission_missing' })
    expect(body.data).not.toHaveProperty('requirements')
  })

  test('reports an unusable integration without a call to the PSP', async () => {
    const { id } = await fixture.open()
    const set = (status: string) =>
      fixture.stage.db
        .updateTable('integration')
        .set({ status })
        .where('integration_id', '=', fixture.integrationId)
        .execute()
    await set('FAILED')
    const calls = (await fixture.control('GET', '/calls')).calls.length
    const { body } = await plan(fixture, id, { fileId })
    await set('SUCCESSFUL')
    expect(body.data).toMatchObject({ submittable: false, code: 'integration_not_usable', steps: [] })
    expect((await fixture.control('GET', '/calls')).calls).toHaveLength(calls)
  })

  test('returns 404 for an unknown chargeback or file, 400 for an invalid body', async () => {
    const { id } = await fixture.open()
    const missing = '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10'
    for (const invalid of [missing, 'no-id'])
      expect(await plan(fixture, invalid, { fileId })).toMatchObject({
        status: 404,
        body: { code: 'chargeback_not_found' },
      })
    for (const invalid of [missing, 'no-id'])
      expect(await plan(fixture, id, { fileId: invalid })).toMatchObject({
        status: 404,
        body: { code: 'file_not_found' },
      })
    for (const invalid of [{}, { fileId: null }, { fileId, more: 1 }])
      expect(await plan(fixture, id, invalid)).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
  })

  test('includes two earlier charges as compelling evidence; if Stripe refuses them, they are left out', async () => {
    const { ref, id } = await fixture.open()
    const name = 'visa_compelling_evidence_3'
    const object = await fixture.askForPurchases(ref)
    const disputed = await fixture.chargeback(ref)
    const posted = disputed?.posting_date?.getTime() ?? 0
    for (const [transactionId, days] of [
      [object.charge, 1],
      ['ch_earlier1', 200],
      ['ch_earlier2', 300],
    ]) {
      const { status } = await fixture.stage.call('POST', '/v1/transactions', {
        body: {
          transactionId,
          transactionCardLastFourDigits: disputed?.card_last_four_digits,
          transactionCreatedDate: new Date(posted - days * 86_400_000).toISOString(),
          transactionOrderIpAddress: '203.0.113.9',
          transactionOrderEmail: 'buyer@example.com',
          transactionOrderItemsProductName: 'Running shoes',
          transactionShippingToAddressLine1: '1 Main St',
        },
      })
      expect(status).toBe(201)
    }
    const { body } = await plan(fixture, id, { fileId })
    expect(body.data.texts).toContain(`${name}.prior_undisputed_transactions.1.charge`)
    expect(body.data.dropped).toBeUndefined()
    // The simulated Stripe has no such charges.
    const submission = await fixture.request(id, fileId)
    await fixture.work(submission)
    const dropped = [{ what: name, why: 'Stripe did not take it for this dispute' }]
    expect(await fixture.read(id, submission)).toMatchObject({ status: 'succeeded', dropped })
    const events = await fixture.stage.db
      .selectFrom('timeline_event')
      .select('after')
      .where('chargeback_id', '=', id)
      .where('what', '=', 'evidence left out')
      .execute()
    expect(events.map(({ after }) => after)).toEqual([{ submitEvidenceId: submission, dropped }])
  })

  test('returns 503 with Retry-After while no worker can ask the PSP', async () => {
    const { id } = await fixture.open()
    const app = fixture.stage.secondApp({ draft: async () => false })
    const response = await fixture.stage.call('POST', `/v1/chargebacks/${id}/evidence/plan`, { body: { fileId } }, app)
    expect(response).toMatchObject({ status: 503, body: { code: 'service_unavailable' } })
    expect(response.headers.get('retry-after')).toBe('5')
  })

  test('notices within seconds that Temporal is unavailable', async () => {
    const temporal = connectLazily('127.0.0.1:1', 'none')
    const began = Date.now()
    expect(await runDraft(temporal, { planId: 'x', psp: 'stripe', chargebackId: 'y' })).toBe(false)
    expect(Date.now() - began).toBeLessThan(10_000)
    await temporal.connection.close()
  })
})

test('an attempt follows the plan that another attempt stored first', async () => {
  await using fixture = await openFixture(subjectOf('stripe'))
  const { run, activities, stage } = fixture
  const { id } = await fixture.open()
  const submitEvidenceId = await fixture.request(id, await fixture.file(await pdfOf(1)))
  fixture.atFaultPoint.set('submit.before_plan', async () => {
    fixture.atFaultPoint.clear()
    await run(activities.planEvidence, { submitEvidenceId })
    await sql`update evidence_submission set plan = jsonb_set(plan, '{staged}', 'false')`.execute(stage.db)
  })
  expect(await run(activities.planEvidence, { submitEvidenceId })).toMatchObject({ staged: false })
})

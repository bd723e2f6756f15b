import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storePlan } from '../../../../db/evidence/evidence-plans.ts'
import type { PlannedSubmission } from '../../../../domain/evidence/submission.ts'
import { addChargeback, addEvidenceFile, addIntegration } from '../chargebacks/chargeback-rows.ts'
import { createStage, type Stage } from '../stage.ts'

let stage: Stage
let at: { merchantUuid: string; integrationId: string }
let fileId: string
beforeAll(async () => {
  stage = await createStage()
  const { db, ring, merchantUuid } = stage
  at = { merchantUuid, integrationId: await addIntegration(db, ring, merchantUuid) }
  fileId = await addEvidenceFile(stage, merchantUuid)
})
afterAll(() => stage[Symbol.asyncDispose]())

const submit = (id: string) => stage.call('POST', `/v1/chargebacks/${id}/evidence/submit`, { body: { fileId } })
const read = (id: string, submission: string, options = {}) =>
  stage.call('GET', `/v1/chargebacks/${id}/evidence/submit/${submission}`, options)
const accept = (id: string) => stage.call('POST', `/v1/chargebacks/${id}/accept`)
const commands = (id: string) =>
  stage.db.selectFrom('command').selectAll().where('chargeback_id', '=', id).orderBy('requested_at').execute()
const setCommand = (id: string, values: object) =>
  stage.db.updateTable('command').set(values).where('chargeback_id', '=', id).execute()

describe('GET /chargebacks/{id}/evidence/submit', () => {
  const list = (id: string) => stage.call('GET', `/v1/chargebacks/${id}/evidence/submit`)

  it('lists submissions of every round, newest first, failed ones too, and no acceptance', async () => {
    const id = await addChargeback(stage.db, at)
    expect((await list(id)).body).toEqual({ status: 200, message: 'Evidence submissions retrieved', data: [] })
    const first = (await submit(id)).body.id
    await setCommand(id, { status: 'failed', error: 'The PDF has 90 pages: at most 50 are taken.' })
    const second = (await submit(id)).body.id
    const { data } = (await list(id)).body
    expect(data).toEqual([(await read(id, second)).body, (await read(id, first)).body])
    expect(data.map(({ status }: { status: string }) => status)).toEqual(['created', 'failed'])
    const accepted = await addChargeback(stage.db, at)
    await accept(accepted)
    expect((await list(accepted)).body.data).toEqual([])
  })

  it('a list has another entity tag once one of its submissions has changed', async () => {
    const id = await addChargeback(stage.db, at)
    await submit(id)
    const list = (known = '') =>
      stage.call('GET', `/v1/chargebacks/${id}/evidence/submit`, { headers: { 'if-none-match': known } })
    const tag = (await list()).headers.get('etag') ?? 'none'
    expect((await list(tag)).status).toBe(304)
    await setCommand(id, { status: 'inProgress' })
    expect(await list(tag)).toMatchObject({ status: 200, body: { data: [{ status: 'inProgress' }] } })
  })

  it.each(['not-an-id', '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10'])('is 404 for the chargeback %s', async (id) => {
    expect(await list(id)).toMatchObject({ status: 404, body: { code: 'chargeback_not_found' } })
  })
})

describe('GET /chargebacks/{id}/evidence/submit/{submitEvidenceId}', () => {
  it('shows the time of the request until the submission succeeds, then the time of completion', async () => {
    const id = await addChargeback(stage.db, at)
    const { body } = await submit(id)
    const [command] = await commands(id)
    expect((await read(id, body.id)).body).toEqual({
      submitEvidenceId: body.id,
      fileId,
      id,
      referenceAccountId: stage.referenceId,
      status: 'created',
      submittedAt: command?.requested_at.toISOString(),
    })
    const completed_at = new Date('2030-01-01T00:00:00Z')
    await setCommand(id, { status: 'succeeded', completed_at })
    expect((await read(id, body.id)).body).toMatchObject({
      status: 'succeeded',
      submittedAt: completed_at.toISOString(),
    })
  })

  it('shows what is left out, shortened and converted, once it is planned', async () => {
    const id = await addChargeback(stage.db, at)
    const { body } = await submit(id)
    const adjusted = {
      dropped: [{ what: 'customer_name', why: 'there is no such text' }],
      shortened: [{ field: 'explanation', from: 30_000, to: 20_000 }],
      converted: { from: 'image/png', to: 'application/pdf' },
    }
    const planned: PlannedSubmission = {
      ...{ fields: ['receipt'], uploads: true, staged: true, digest: 'd'.repeat(64), submissionsBefore: 0 },
      document: { type: 'application/pdf', bytes: 3, sha256: 'a'.repeat(64) },
      ...adjusted,
    }
    const etag = (await read(id, body.id)).headers.get('etag') ?? ''
    await storePlan(stage.db, stage.ring, body.id, { requirements: {}, planned, texts: { name: 'Jane Roe' } })
    const response = await read(id, body.id, { headers: { 'if-none-match': etag } })
    expect(response.body).toMatchObject({ status: 'created', ...adjusted })
    expect((await read(id, body.id, { headers: { 'if-none-match': response.headers.get('etag') ?? '' } })).status).toBe(
      304,
    )
    const events = await stage.db.selectFrom('timeline_event').selectAll().where('chargeback_id', '=', id).execute()
    expect(events.at(-1)).toMatchObject({ what: 'evidence planned', after: adjusted })
  })

  it('shows the error of a failed submission, also after a new one was requested', async () => {
    const id = await addChargeback(stage.db, at)
    const first = await submit(id)
    await setCommand(id, { status: 'failed', error: 'The PDF has 90 pages: at most 50 are taken.' })
    const second = await submit(id)
    expect((await read(id, first.body.id)).body).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/90 pages/),
    })
    expect((await read(id, second.body.id)).body).toMatchObject({ status: 'created' })
  })

  it.each(['not-an-id', '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10'])(
    'returns 404 for the submission %s',
    async (submission) => {
      const id = await addChargeback(stage.db, at)
      await submit(id)
      expect(await read(id, submission)).toMatchObject({ status: 404, body: { code: 'submission_not_found' } })
    },
  )

  it('returns 404 for an acceptance, and for the submission of another chargeback', async () => {
    const id = await addChargeback(stage.db, at)
    const other = await addChargeback(stage.db, at)
    const { body } = await submit(other)
    await accept(id)
    const [acceptance] = await commands(id)
    for (const submission of [body.id, acceptance?.command_id])
      expect(await read(id, submission)).toMatchObject({ status: 404, body: { code: 'submission_not_found' } })
  })
})

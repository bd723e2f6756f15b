import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SUBJECTS } from '../../../../adapters/conformance/subjects.ts'
import { TWO_DOCUMENTS } from '../../../../adapters/sandbox/evidence-limits.ts'
import { type Fixture, openFixture, pdfOf } from './submission-fixture.ts'

const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest('hex')
describe.each(SUBJECTS)('$definition.source', (subject) => {
  const { contest } = subject.definition.capabilities
  const stages = contest ? contest.stages : []
  let fixture: Fixture
  let pdf: Buffer
  beforeAll(async () => {
    fixture = await openFixture(subject)
    pdf = await pdfOf(2)
  })
  afterAll(() => fixture[Symbol.asyncDispose]())

  test.each(stages)('evidence is sent once in the stage %s', async (stage) => {
    // Some simulators refuse a card's reason code in a claim, inquiry or compliance case.
    const ofCard = !['claim', 'inquiry', 'other'].includes(stage)
    const { ref, id } = await fixture.open({ stage, ...(!ofCard && { reason: undefined }) })
    const submission = await fixture.request(id, await fixture.file(pdf))
    await fixture.work(submission)
    expect(await fixture.read(id, submission)).toMatchObject({ status: 'succeeded' })
    expect(await fixture.effects(ref, 'submission')).toHaveLength(1)
    const contents = fixture.engine
      .account(fixture.account)
      .files.all()
      .map((file) => sha256(file.content))
    expect(contents).toContain(sha256(pdf))
    expect(await fixture.chargeback(ref)).toMatchObject({
      status: 'pending_psp_results',
      status_reason: 'Evidence was submitted.',
    })
  })

  test.runIf(subject.simulator.profile.reasons.some(({ word }) => word === TWO_DOCUMENTS))(
    'if two documents are required, the file is uploaded once for each',
    async () => {
      const { ref, id } = await fixture.open({ reason: TWO_DOCUMENTS })
      const submitEvidenceId = await fixture.request(id, await fixture.file(pdf))
      const uploads = () => fixture.engine.ledger.effects.filter(({ kind }) => kind === 'upload').length
      const before = uploads()
      const { planEvidence, uploadFile } = fixture.activities
      expect(await fixture.run(planEvidence, { submitEvidenceId })).toMatchObject({ uploads: 2 })
      expect(await fixture.run(uploadFile, { submitEvidenceId, step: 0 })).toEqual({ sent: true })
      // A worker that crashed here would resume a plan with one step done.
      expect(await fixture.run(uploadFile, { submitEvidenceId, step: 0 })).toEqual({ sent: false })
      await fixture.work(submitEvidenceId)
      expect(uploads()).toBe(before + 2)
      expect(await fixture.read(id, submitEvidenceId)).toMatchObject({ status: 'succeeded' })
      expect(await fixture.effects(ref, 'submission')).toMatchObject([
        { details: { files: { receipt: expect.any(String), shipping_documentation: expect.any(String) } } },
      ])
    },
  )
})

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SUBJECTS } from '../../../../adapters/conformance/subjects.ts'
import { TWO_DOCUMENTS } from '../../../../adapters/sandbox/evidence-limits.ts'
import { openScene, pdfOf, type Scene } from './submission-scene.ts'

const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest('hex')
describe.each(SUBJECTS)('$definition.source', (subject) => {
  const { contest } = subject.definition.capabilities
  const stages = contest ? contest.stages : []
  let scene: Scene
  let pdf: Buffer
  beforeAll(async () => {
    scene = await openScene(subject)
    pdf = await pdfOf(2)
  })
  afterAll(() => scene[Symbol.asyncDispose]())

  test.each(stages)('evidence is sent once in the stage %s', async (stage) => {
    // Some simulators refuse a card's reason code in a claim, inquiry or compliance case.
    const ofCard = !['claim', 'inquiry', 'other'].includes(stage)
    const { ref, id } = await scene.open({ stage, ...(!ofCard && { reason: undefined }) })
    const submission = await scene.request(id, await scene.file(pdf))
    await scene.work(submission)
    expect(await scene.read(id, submission)).toMatchObject({ status: 'succeeded' })
    expect(await scene.effects(ref, 'submission')).toHaveLength(1)
    const contents = scene.engine
      .account(scene.account)
      .files.all()
      .map((file) => sha256(file.content))
    expect(contents).toContain(sha256(pdf))
    expect(await scene.chargeback(ref)).toMatchObject({
      status: 'pending_psp_results',
      status_reason: 'Evidence was submitted.',
    })
  })

  test.runIf(subject.simulator.profile.reasons.some(({ word }) => word === TWO_DOCUMENTS))(
    'if two documents are required, the file is uploaded once for each',
    async () => {
      const { ref, id } = await scene.open({ reason: TWO_DOCUMENTS })
      const submitEvidenceId = await scene.request(id, await scene.file(pdf))
      const uploads = () => scene.engine.ledger.effects.filter(({ kind }) => kind === 'upload').length
      const before = uploads()
      const { planEvidence, uploadFile } = scene.activities
      expect(await scene.run(planEvidence, { submitEvidenceId })).toMatchObject({ uploads: 2 })
      expect(await scene.run(uploadFile, { submitEvidenceId, step: 0 })).toEqual({ sent: true })
      // A worker that crashed here would resume a plan with one step done.
      expect(await scene.run(uploadFile, { submitEvidenceId, step: 0 })).toEqual({ sent: false })
      await scene.work(submitEvidenceId)
      expect(uploads()).toBe(before + 2)
      expect(await scene.read(id, submitEvidenceId)).toMatchObject({ status: 'succeeded' })
      expect(await scene.effects(ref, 'submission')).toMatchObject([
        { details: { files: { receipt: expect.any(String), shipping_documentation: expect.any(String) } } },
      ])
    },
  )
})

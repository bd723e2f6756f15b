import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SUBJECTS } from '../../../adapters/conformance/subjects.ts'
import { openScene, pdfOf, type Scene } from './submission-scene.ts'

const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest('hex')
describe.each(SUBJECTS)('$definition.source', { retry: 0 }, (subject) => {
  const { contest } = subject.definition.capabilities
  const stages = contest ? contest.stages : []
  let scene: Scene
  let pdf: Buffer
  beforeAll(async () => {
    scene = await openScene(subject)
    pdf = await pdfOf(2)
  })
  afterAll(() => scene[Symbol.asyncDispose]())

  test.each(stages)('evidence goes out once at the stage %s', async (stage) => {
    const { ref, id } = await scene.open({ stage })
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
})

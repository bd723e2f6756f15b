import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nestedArrays } from '../../../faults/hostile/nested-arrays.ts'
import { openScene, pdfOf, type Scene, subjectOf } from './submission-scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await openScene(subjectOf('stripe'))
})
afterAll(() => scene[Symbol.asyncDispose]())

/** The longest that anything else of this process waited, and what its memory grew by, in megabytes. */
async function cost(work: () => Promise<void>): Promise<{ stoodMs: number; grownMb: number }> {
  const before = process.memoryUsage.rss()
  let [stoodMs, last] = [0, performance.now()]
  const turning = setInterval(() => {
    const now = performance.now()
    stoodMs = Math.max(stoodMs, now - last)
    last = now
  }, 10)
  await work()
  clearInterval(turning)
  return { stoodMs, grownMb: (process.memoryUsage.rss() - before) / 1024 / 1024 }
}

describe('finding 1: a 62 KB PDF whose object stream inflates to nested arrays is refused and no worker dies', () => {
  const sentence = (fileId: string) =>
    `The file ${fileId} is too complex to read. Save it anew with fewer pages, layers or pixels, upload that and submit it.`

  /** Stored by an earlier version, which accepted it. */
  const poison = () => scene.file(nestedArrays())

  test('by a dry run', async () => {
    const { id } = await scene.open()
    const fileId = await poison()
    const { stoodMs, grownMb } = await cost(async () => {
      const { body } = await scene.stage.call('POST', `/v1/chargebacks/${id}/evidence/plan`, { body: { fileId } })
      expect(body.data).toMatchObject({ submittable: false, code: 'evidence_refused', reason: sentence(fileId) })
    })
    expect(stoodMs).toBeLessThan(5_000)
    expect(grownMb).toBeLessThan(300)
  })

  test('by a submission, which ends, and the next one of the chargeback succeeds', async () => {
    const { ref, id } = await scene.open()
    const fileId = await poison()
    const submission = await scene.request(id, fileId)
    const { stoodMs, grownMb } = await cost(() => scene.work(submission))
    expect(stoodMs).toBeLessThan(5_000)
    expect(grownMb).toBeLessThan(300)
    expect(await scene.read(id, submission)).toMatchObject({ status: 'failed', error: sentence(fileId) })
    expect(await scene.effects(ref, 'upload')).toEqual([])
    const second = await scene.request(id, await scene.file(await pdfOf(1)))
    await scene.work(second)
    expect(await scene.read(id, second)).toMatchObject({ status: 'succeeded' })
  })
})

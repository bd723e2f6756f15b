import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nestedArrays } from '../../../faults/hostile/nested-arrays.ts'
import { openScene, pdfOf, type Scene, subjectOf } from './submission-scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await openScene(subjectOf('stripe'))
})
afterAll(() => scene[Symbol.asyncDispose]())

/** The longest block of the event loop in ms, and the growth of memory in MB. */
async function cost(work: () => Promise<void>): Promise<{ blockedMs: number; grownMb: number }> {
  const before = process.memoryUsage.rss()
  let [blockedMs, last] = [0, performance.now()]
  const timer = setInterval(() => {
    const now = performance.now()
    blockedMs = Math.max(blockedMs, now - last)
    last = now
  }, 10)
  await work()
  clearInterval(timer)
  return { blockedMs, grownMb: (process.memoryUsage.rss() - before) / 1024 / 1024 }
}

describe('finding 1: a 62 KB PDF whose object stream inflates to nested arrays is refused and no worker dies', () => {
  const refusal = (fileId: string) =>
    `The file ${fileId} is too complex to read. Save it anew with fewer pages, layers or pixels, upload that and submit it.`

  /** Stored by an earlier version, which accepted it. */
  const poison = () => scene.file(nestedArrays())

  test('by a dry run', async () => {
    const { id } = await scene.open()
    const fileId = await poison()
    const { blockedMs, grownMb } = await cost(async () => {
      const { body } = await scene.stage.call('POST', `/v1/chargebacks/${id}/evidence/plan`, { body: { fileId } })
      expect(body.data).toMatchObject({ submittable: false, code: 'evidence_refused', reason: refusal(fileId) })
    })
    expect(blockedMs).toBeLessThan(5_000)
    expect(grownMb).toBeLessThan(300)
  })

  test('by a submission, which ends, and the next one of the chargeback succeeds', async () => {
    const { ref, id } = await scene.open()
    const fileId = await poison()
    const submission = await scene.request(id, fileId)
    const { blockedMs, grownMb } = await cost(() => scene.work(submission))
    expect(blockedMs).toBeLessThan(5_000)
    expect(grownMb).toBeLessThan(300)
    expect(await scene.read(id, submission)).toMatchObject({ status: 'failed', error: refusal(fileId) })
    expect(await scene.effects(ref, 'upload')).toEqual([])
    const second = await scene.request(id, await scene.file(await pdfOf(1)))
    await scene.work(second)
    expect(await scene.read(id, second)).toMatchObject({ status: 'succeeded' })
  })
})

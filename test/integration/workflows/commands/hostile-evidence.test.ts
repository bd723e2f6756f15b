import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nestedArrays } from '../../../faults/hostile/nested-arrays.ts'
import { type Fixture, openFixture, pdfOf, subjectOf } from './submission-fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture(subjectOf('stripe'))
})
afterAll(() => fixture[Symbol.asyncDispose]())

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
  const poison = () => fixture.file(nestedArrays())

  test('by a dry run', async () => {
    const { id } = await fixture.open()
    const fileId = await poison()
    const { blockedMs, grownMb } = await cost(async () => {
      const { body } = await fixture.stage.call('POST', `/v1/chargebacks/${id}/evidence/plan`, { body: { fileId } })
      expect(body.data).toMatchObject({ submittable: false, code: 'evidence_refused', reason: refusal(fileId) })
    })
    expect(blockedMs).toBeLessThan(5_000)
    expect(grownMb).toBeLessThan(300)
  })

  test('by a submission, which ends, and the next one of the chargeback succeeds', async () => {
    const { ref, id } = await fixture.open()
    const fileId = await poison()
    const submission = await fixture.request(id, fileId)
    const { blockedMs, grownMb } = await cost(() => fixture.work(submission))
    expect(blockedMs).toBeLessThan(5_000)
    expect(grownMb).toBeLessThan(300)
    expect(await fixture.read(id, submission)).toMatchObject({ status: 'failed', error: refusal(fileId) })
    expect(await fixture.effects(ref, 'upload')).toEqual([])
    const second = await fixture.request(id, await fixture.file(await pdfOf(1)))
    await fixture.work(second)
    expect(await fixture.read(id, second)).toMatchObject({ status: 'succeeded' })
  })
})

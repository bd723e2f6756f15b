import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openScene, pdfOf, type Scene, subjectOf } from './submission-scene.ts'

/** PayPal does not wait for a response, but offers a link to a further one. */
describe('paypal', () => {
  let scene: Scene
  let first: string
  let second: string
  beforeAll(async () => {
    scene = await openScene(subjectOf('paypal'))
    first = await scene.file(await pdfOf(1))
    second = await scene.file(await pdfOf(2))
  })
  afterAll(() => scene[Symbol.asyncDispose]())

  async function created(status: string, stage: string, rel: string | null): Promise<{ ref: string; id: string }> {
    const { ref } = (await scene.control('POST', '/disputes', { count: 1, status, stage })).disputes[0]
    const href = `https://api-m.paypal.com/v1/customer/disputes/${ref}`
    const links = [
      { href, rel: 'self', method: 'GET' },
      ...(rel ? [{ href: `${href}/${rel.replaceAll('_', '-')}`, rel, method: 'POST' }] : []),
    ]
    await scene.control('PATCH', `/disputes/${ref}`, { fields: { links } })
    await scene.poll()
    return { ref, id: (await scene.chargeback(ref))?.id ?? '' }
  }
  const calls = async (ref: string, action: string) =>
    (await scene.control('GET', `/calls?method=POST&path=/v1/customer/disputes/${ref}/${action}`)).calls

  test('a lost dispute that can be appealed is appealed by a submission', async () => {
    const { ref, id } = await created('APPEALABLE', 'claim', 'appeal')
    expect(await scene.chargeback(ref)).toMatchObject({ psp_status: 'lost', further_answer: 'appeal', round: 1 })
    const submission = await scene.request(id, first)
    await scene.work(submission)
    expect(await scene.read(id, submission)).toMatchObject({ status: 'succeeded' })
    expect(await calls(ref, 'appeal')).toHaveLength(1)
    await scene.poll()
    expect(await scene.chargeback(ref)).toMatchObject({
      ...{ psp_status: 'under_review', further_answer: null, status: 'pending_psp_results' },
    })
    await expect(scene.request(id, second)).rejects.toThrow(/other_file_submitted/)
  })

  test('supporting information is sent as often as PayPal accepts it, each file once', async () => {
    const { ref, id } = await created('UNDER_REVIEW', 'chargeback', 'provide_supporting_info')
    const one = await scene.request(id, first)
    await scene.work(one)
    await scene.poll()
    const other = await scene.request(id, second)
    expect(await scene.chargeback(ref)).toMatchObject({ round: 2, further_answer: 'supporting_info' })
    await expect(scene.request(id, first)).resolves.toBe(one)
    await scene.work(other)
    for (const submission of [one, other])
      expect(await scene.read(id, submission)).toMatchObject({ status: 'succeeded' })
    expect(await calls(ref, 'provide-supporting-info')).toHaveLength(2)
    await scene.poll()
    expect(await scene.chargeback(ref)).toMatchObject({ status: 'pending_psp_results', psp_status: 'under_review' })
  })

  test('one at a time: a second file is refused while the first is being submitted', async () => {
    const { id } = await created('UNDER_REVIEW', 'claim', 'provide_supporting_info')
    const one = await scene.request(id, first)
    await expect(scene.request(id, second)).rejects.toThrow(/other_file_submitted/)
    expect(await scene.request(id, first)).toBe(one)
  })

  test('a dispute without a link is closed, and the timeline shows when a link appears', async () => {
    const { ref, id } = await created('RESOLVED_BUYER_FAVOUR', 'claim', null)
    await expect(scene.request(id, first)).rejects.toThrow(/not_open/)
    await scene.control('PATCH', `/disputes/${ref}`, { status: 'APPEALABLE' })
    await scene.poll()
    const { body } = await scene.stage.call('GET', `/v1/chargebacks/${id}/timeline`)
    expect(body.data).toContainEqual(
      expect.objectContaining({
        what: 'furtherAnswer changed',
        before: { furtherAnswer: null },
        after: { furtherAnswer: 'appeal' },
      }),
    )
    await scene.work(await scene.request(id, first))
    expect(await calls(ref, 'appeal')).toHaveLength(1)
  })
})

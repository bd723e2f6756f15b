import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Fixture, openFixture, pdfOf, subjectOf } from './submission-fixture.ts'

/** PayPal does not wait for a response, but offers a link to a further one. */
describe('paypal', () => {
  let fixture: Fixture
  let first: string
  let second: string
  beforeAll(async () => {
    fixture = await openFixture(subjectOf('paypal'))
    first = await fixture.file(await pdfOf(1))
    second = await fixture.file(await pdfOf(2))
  })
  afterAll(() => fixture[Symbol.asyncDispose]())

  async function created(status: string, stage: string, rel: string | null): Promise<{ ref: string; id: string }> {
    const { ref } = (await fixture.control('POST', '/disputes', { count: 1, status, stage })).disputes[0]
    const href = `https://api-m.paypal.com/v1/customer/disputes/${ref}`
    const links = [
      { href, rel: 'self', method: 'GET' },
      ...(rel ? [{ href: `${href}/${rel.replaceAll('_', '-')}`, rel, method: 'POST' }] : []),
    ]
    await fixture.control('PATCH', `/disputes/${ref}`, { fields: { links } })
    await fixture.poll()
    return { ref, id: (await fixture.chargeback(ref))?.id ?? '' }
  }
  const calls = async (ref: string, action: string) =>
    (await fixture.control('GET', `/calls?method=POST&path=/v1/customer/disputes/${ref}/${action}`)).calls

  test('a lost dispute that can be appealed is appealed by a submission', async () => {
    const { ref, id } = await created('APPEALABLE', 'claim', 'appeal')
    expect(await fixture.chargeback(ref)).toMatchObject({ psp_status: 'lost', further_answer: 'appeal', round: 1 })
    const submission = await fixture.request(id, first)
    await fixture.work(submission)
    expect(await fixture.read(id, submission)).toMatchObject({ status: 'succeeded' })
    expect(await calls(ref, 'appeal')).toHaveLength(1)
    await fixture.poll()
    expect(await fixture.chargeback(ref)).toMatchObject({
      ...{ psp_status: 'under_review', further_answer: null, status: 'pending_psp_results' },
    })
    await expect(fixture.request(id, second)).rejects.toThrow(/other_file_submitted/)
  })

  test('supporting information is sent as often as PayPal accepts it, each file once', async () => {
    const { ref, id } = await created('UNDER_REVIEW', 'chargeback', 'provide_supporting_info')
    const one = await fixture.request(id, first)
    await fixture.work(one)
    await fixture.poll()
    const other = await fixture.request(id, second)
    expect(await fixture.chargeback(ref)).toMatchObject({ round: 2, further_answer: 'supporting_info' })
    await expect(fixture.request(id, first)).resolves.toBe(one)
    await fixture.work(other)
    for (const submission of [one, other])
      expect(await fixture.read(id, submission)).toMatchObject({ status: 'succeeded' })
    expect(await calls(ref, 'provide-supporting-info')).toHaveLength(2)
    await fixture.poll()
    expect(await fixture.chargeback(ref)).toMatchObject({ status: 'pending_psp_results', psp_status: 'under_review' })
  })

  test('one at a time: a second file is refused while the first is being submitted', async () => {
    const { id } = await created('UNDER_REVIEW', 'claim', 'provide_supporting_info')
    const one = await fixture.request(id, first)
    await expect(fixture.request(id, second)).rejects.toThrow(/other_file_submitted/)
    expect(await fixture.request(id, first)).toBe(one)
  })

  test('a dispute without a link is closed, and the timeline shows when a link appears', async () => {
    const { ref, id } = await created('RESOLVED_BUYER_FAVOUR', 'claim', null)
    await expect(fixture.request(id, first)).rejects.toThrow(/not_open/)
    await fixture.control('PATCH', `/disputes/${ref}`, { status: 'APPEALABLE' })
    await fixture.poll()
    const { body } = await fixture.stage.call('GET', `/v1/chargebacks/${id}/timeline`)
    expect(body.data).toContainEqual(
      expect.objectContaining({
        what: 'furtherAnswer changed',
        before: { furtherAnswer: null },
        after: { furtherAnswer: 'appeal' },
      }),
    )
    await fixture.work(await fixture.request(id, first))
    expect(await calls(ref, 'appeal')).toHaveLength(1)
  })
})

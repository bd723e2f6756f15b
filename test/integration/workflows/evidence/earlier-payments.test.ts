import { expect, test } from 'vitest'
import { openFixture } from './package-fixture.ts'

const DAY_MS = 86_400_000
const SENTENCE = { id: 'earlier_payments', kept: true }

test('a package about a subscription names earlier payments of the customer, until one of them is disputed', async () => {
  await using fixture = await openFixture('stripe')
  const { stage } = fixture
  const { id, ref } = await fixture.building(
    { subscriptionId: 'sub_3', cancellationRebuttal: 'The plan was renewed before it was cancelled.' },
    { reason: '13.2' },
  )
  const disputed = await fixture.chargeback(ref)
  const { object } = await fixture.control('GET', `/disputes/${ref}`)
  const paidAt = (disputed?.posting_date?.getTime() ?? 0) - 20 * DAY_MS
  const post = async (transactionId: string, days: number, more: object = {}) => {
    const { status, text } = await stage.call('POST', '/v1/transactions', {
      body: {
        transactionId,
        transactionCardLastFourDigits: disputed?.card_last_four_digits,
        transactionCreatedDate: new Date(paidAt - days * DAY_MS).toISOString(),
        transactionOrderEmail: 'ada@example.com',
        ...more,
      },
    })
    expect(status, text).toBe(201)
  }
  await post(object.charge, 0)
  await post('ch_month1', 30)
  await post('ch_month2', 60)
  // Another customer whose card ends alike, a payment that failed, one that came later, and one that is too old.
  await post('ch_other', 40, { transactionOrderEmail: 'eve@example.com' })
  await post('ch_failed', 50, { transactionStatus: 'failed' })
  await post('ch_later', -5)
  await post('ch_old', 400)
  expect(await fixture.build()).toEqual({ [id]: 'built' })
  const { body: draft } = await fixture.draft(id)
  const said = draft.statements.find((one: { id: string }) => one.id === SENTENCE.id)
  const day = (days: number) =>
    new Date(paidAt - days * DAY_MS).toLocaleDateString('en-GB', {
      ...{ day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' },
    })
  expect(said).toMatchObject({
    ...SENTENCE,
    text: `The same card made 2 earlier payments, on ${day(60)} and ${day(30)}; none is known to be disputed.`,
  })
  expect(draft.missing).not.toContain('earlier transactions')

  // The record belongs to another chargeback now.
  const other = await fixture.open({ reason: '13.2' })
  await stage.db.updateTable('chargeback').set({ transaction_id: 'ch_month2' }).where('id', '=', other.id).execute()
  fixture.wait(7 * 60 * 60_000)
  expect(await fixture.build()).toMatchObject({ [id]: 'built' })
  const { body: later } = await fixture.draft(id)
  expect(later.statements.find((one: { id: string }) => one.id === SENTENCE.id).text).toContain('1 earlier payment,')
})

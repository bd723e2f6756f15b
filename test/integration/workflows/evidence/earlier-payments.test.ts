import { expect, test } from 'vitest'
import { openFixture } from './package-fixture.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const SENTENCE = { id: 'earlier_payments', kept: true }

test('a package about a subscription names earlier payments of the customer, until one of them is disputed', async () => {
  await using fixture = await openFixture('stripe')
  const { stage } = fixture
  const { id, ref } = await fixture.building(
    { subscriptionId: 'sub_3', cancellationRebuttal: 'The plan was renewed before it was cancelled.' },
    { reason: '13.2' },
  )
  expect(await fixture.build()).toEqual({ [id]: 'built' })
  expect(await fixture.wanted()).toEqual([])
  // A payment that becomes known later does not by itself cause a new build.
  fixture.wait(7 * HOUR_MS)
  expect(await fixture.wanted()).toEqual([id])
  fixture.wait(-7 * HOUR_MS)
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
  // A failed build does not keep what no longer holds.
  expect(await fixture.run(fixture.activities.refusePackage, { chargebackId: id })).toEqual({ result: 'refused' })
  fixture.wait(7 * HOUR_MS)
  expect(await fixture.build()).toMatchObject({ [id]: 'built' })
  const { body: later } = await fixture.draft(id)
  expect(later.statements.find((one: { id: string }) => one.id === SENTENCE.id).text).toContain('1 earlier payment,')
})

test('a package that names earlier purchases is stale once one of them is corrected or disputed', async () => {
  await using fixture = await openFixture('stripe')
  const { stage, control } = fixture
  const shared = {
    transactionOrderIpAddress: '203.0.113.9',
    transactionShippingToFullShippingAddress: '12 Mill Lane, Leeds, LS1 4DY, GB',
  }
  const { id, ref } = await fixture.building(shared, { reason: '10.4' })
  const disputed = await fixture.chargeback(ref)
  const post = async (transactionId: string, days: number) => {
    const { status, text } = await stage.call('POST', '/v1/transactions', {
      body: {
        ...{ transactionId, ...shared, transactionCardLastFourDigits: disputed?.card_last_four_digits },
        transactionCreatedDate: new Date((disputed?.posting_date?.getTime() ?? 0) - days * DAY_MS).toISOString(),
      },
    })
    expect(status, text).toBe(201)
  }
  const isStale = async () => (await fixture.draft(id)).body.stale
  const order = { count: 1, status: 'needs_response', stage: 'chargeback', reason: '10.4', dueInHours: 200 }
  const { disputes } = await control('POST', '/disputes', order)
  const { object } = await control('GET', `/disputes/${disputes[0].ref}`)
  await post(object.charge, 200)
  await post('ch_earlier1', 250)
  await post('ch_earlier2', 300)
  await fixture.build()
  const { statements } = (await fixture.draft(id)).body
  expect(statements).toContainEqual(expect.objectContaining({ id: 'earlier_purchases', kept: true }))

  await post('ch_later', -1)
  expect(await isStale()).toBe(false)
  await post('ch_earlier1', 260)
  expect(await isStale()).toBe(true)
  await fixture.build()
  expect(await isStale()).toBe(false)
  await fixture.poll()
  expect(await fixture.chargeback(disputes[0].ref)).toBeDefined()
  expect(await isStale()).toBe(true)
})

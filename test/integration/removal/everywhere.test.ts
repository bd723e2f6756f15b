import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Fixture, openFixture } from './fixture.ts'
import { placeEverywhere } from './persons.ts'

let fixture: Fixture
let placed: Awaited<ReturnType<typeof placeEverywhere>>
beforeAll(async () => {
  fixture = await openFixture()
  placed = await placeEverywhere(fixture)
}, 120_000)
afterAll(() => fixture[Symbol.asyncDispose]())

describe('a data subject’s removal, in the whole database', () => {
  test('before it, the person is in every place that may hold one', async () => {
    expect(await fixture.placesOf(placed.jane)).toEqual([
      'alert.external_transaction_identifier',
      'alert.reason',
      'alert_outcome.comments_sealed',
      'chargeback.external_transaction_identifier',
      'chargeback.reason',
      'client_data.sealed',
      'file.content_sealed',
      'file.metadata_sealed',
      'file.name_sealed',
      'idempotency_key.answer_sealed',
      'ingestion.about',
      'ingestion.sealed',
      'notification.sealed',
      'quarantine.sealed',
      'raw_object.sealed',
      'transaction_record.sealed',
    ])
  })

  test('after it, the person is nowhere, sealed or plain, and counts remain as proof', async () => {
    expect(
      await fixture.remove({
        ...placed.jane,
        email: placed.jane.email.toLowerCase(),
        firstName: placed.jane.firstName.toUpperCase(),
      }),
    ).toBe(true)
    expect(await fixture.placesOf(placed.jane)).toEqual([])
    expect(await fixture.proof()).toMatchObject({
      chargebacks: 4,
      transactions: 2,
      dataPoints: 1,
      files: 4,
      answers: 1,
      alertComments: 1,
      quarantine: 1,
      rawObjects: expect.any(Number),
      notifications: expect.any(Number),
      ingestions: 5,
    })
  })

  test('other persons stay where they were', async () => {
    expect(await fixture.placesOf(placed.other)).toEqual([
      'client_data.sealed',
      'file.content_sealed',
      'raw_object.sealed',
      'transaction_record.sealed',
    ])
  })

  test('the chargeback keeps its figures, and its timeline shows the erasure once', async () => {
    const { body } = await fixture.call('GET', `/chargebacks/${placed.chargebackId}`)
    expect(body.data).toMatchObject({
      chargebackId: placed.reference,
      amount: expect.any(Number),
      status: 'pending_psp_results',
    })
    const timeline = (await fixture.call('GET', `/chargebacks/${placed.chargebackId}/timeline`)).body.data as {
      what: string
    }[]
    expect(timeline.filter(({ what }) => what === 'personal data erased')).toHaveLength(1)
    const { id } = await fixture.chargeback('posted-1')
    const events = (await fixture.call('GET', `/chargebacks/${id}/timeline`)).body.data as object[]
    expect(events).toContainEqual(
      expect.objectContaining({
        what: 'free text erased',
        after: { reason: null, externalTransactionIdentifier: null },
      }),
    )
  })

  test('the stored response is returned again without the person', async () => {
    const again = await placed.withKey()
    expect(again).toMatchObject({ id: placed.underKey.id, metadata: '{"of":null}' })
  })

  test('what the PSP sends again does not bring the person back, even if everything is read again', async () => {
    await fixture.control('POST', `/disputes/${placed.reference}/decide`, { outcome: 'lost' })
    await fixture.notify(placed.reference)
    const { db } = fixture.stage
    await db
      .updateTable('chargeback')
      .set({ translation_version: 0, context_at: null, context_after: new Date(0) })
      .execute()
    await fixture.poll()
    expect(await fixture.chargeback(placed.reference)).toMatchObject({
      psp_status: 'lost',
      context_at: expect.any(Date),
    })
    await placed.posted('chargebacks', { chargebackId: 'posted-1', pspStatus: 'lost', lifecycleStage: 'chargeback' })
    expect(await fixture.placesOf(placed.jane)).toEqual([])
    expect(await fixture.placesOf(placed.other)).toContain('raw_object.sealed')
  })

  test('repeating it is harmless', async () => {
    expect(await fixture.remove(placed.jane)).toBe(true)
    expect(await fixture.proof()).toEqual({})
    expect(await fixture.placesOf(placed.jane)).toEqual([])
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endCommand } from '../../../db/command-ends.ts'
import { loadCommand } from '../../../db/commands.ts'
import { samplePdf } from '../../harness/sample-files.ts'
import { openScene, type Scene, type Subject } from './scene.ts'

let scene: Scene
let jane: Subject
let other: Subject
let reference: string
let chargebackId: string
let underKey: { id: string; metadata?: string }
let sandbox: string

const page = (text: string) => samplePdf({ content: `BT (${text}) Tj ET`, deflate: true })
const post = async (path: string, body: unknown) => {
  const answer = await scene.call('POST', path, body)
  expect([path, answer.status, answer.text]).toEqual([path, 201, expect.any(String)])
  return answer.body.id as string
}

/** The person in every place that may hold one, in other letters than the request will have. */
beforeAll(async () => {
  scene = await openScene()
  const bystander = await scene.dispute({ reason: '10.4' })
  const victim = await scene.dispute({ reason: '10.4', dueInHours: 200 })
  jane = victim.payer
  other = bystander.payer
  reference = victim.reference
  const loud = jane.email.toUpperCase()
  const evidence = { customer_email_address: loud, customer_name: `${jane.firstName} ${jane.lastName}` }
  await scene.control('POST', '/disputes', { malformed: 'amount_text', fields: { evidence } })
  await scene.poll()
  const chargeback = await scene.chargeback(reference)
  chargebackId = chargeback.id
  const theirs = (await scene.chargeback(bystander.reference)).id
  await scene.notify(reference)

  await post('/transactions', {
    transactionId: chargeback.transaction_id,
    transactionShippingEmail: loud,
    transactionOrderPhone: jane.phone,
  })
  await post('/transactions', { transactionId: 'ch_earlier', transactionOrderEmail: loud })
  await post('/transactions', {
    transactionId: 'ch_other',
    transactionOrderEmail: other.email,
    transactionOrderPhone: other.phone,
  })
  for (const [id, who] of [
    [chargebackId, loud],
    [theirs, other.email],
  ])
    expect((await scene.call('PATCH', `/chargebacks/${id}`, { mail: { thread: [`from ${who}`] } })).status).toBe(201)
  await scene.upload(page(`Bill to ${loud}`))
  await scene.upload(page('Terms'), [{ name: 'metadata', content: JSON.stringify({ of: loud }) }])
  await scene.upload(page(`Bill to ${other.email}`))
  underKey = await withKey()
  const { id: sent } = await scene.upload(page('Delivered to the door'))
  await submitted(sent)

  sandbox = await scene.connect({
    source: 'recoup_sandbox',
    externalIdentifier: 'sandbox-shop',
    secretType: 'APIKEY_ONLY',
    secretPayload: { apiKey: 'key-4c1d' },
  })
  await posted('chargebacks', {
    chargebackId: 'posted-1',
    pspStatus: 'needs_response',
    lifecycleStage: 'chargeback',
    postingDate: '2026-05-20T00:00:00Z',
    dueDate: '2099-06-10T00:00:00Z',
  })
  const later = { pspStatus: 'needs_response', lifecycleStage: 'chargeback', dueDate: '2099-06-10T00:00:00Z' }
  await posted('chargebacks', { chargebackId: 'posted-2', externalTransactionIdentifier: 'order-77', ...later })
  // Found by nothing but the shop's own number of the order.
  await upload('card_checks', { id: 'check-1', externalTransactionIdentifier: 'order-77', phone: jane.phone })
  await upload('card_checks', { id: 'check-2', externalTransactionIdentifier: jane.email, chargebackId: 'posted-2' })
  await posted('early_fraud_warnings', { chargebackId: 'alert-1', providerName: 'Ethoca' })
  const [{ alertId }] = (await scene.call('GET', '/pre-chargeback-alerts/alerts')).body.data
  await post('/pre-chargeback-alerts/alerts/outcome', {
    alertId,
    providerName: 'Ethoca',
    outcome: 'resolved',
    comments: `Told ${loud}`,
  })
}, 120_000)
afterAll(() => scene[Symbol.asyncDispose]())

const withKey = () =>
  scene.upload(
    page('Kept'),
    [{ name: 'metadata[of]', content: jane.email }],
    { 'idempotency-key': 'k1' },
    `${jane.email}.pdf`,
  )

async function submitted(fileId: string): Promise<void> {
  const id = await post(`/chargebacks/${chargebackId}/evidence/submit`, { fileId })
  const command = await loadCommand(scene.stage.db, id)
  if (command) await endCommand(scene.stage.db, command, { status: 'succeeded' }, 'stripe')
}

function upload(dataType: string, rawData: object): Promise<string> {
  const sent = { dataSource: 'recoup_sandbox', dataSourceVersion: '1', requestTimeStamp: '2026-06-01T10:00:00Z' }
  return post('/sandbox/raw-data', { ...sent, dataType, integrationId: sandbox, rawData })
}

async function posted(dataType: string, data: object): Promise<void> {
  const said = { reason: `claim of ${jane.email}`, externalTransactionIdentifier: jane.email }
  const ingestionId = await upload(dataType, { currency: 'EUR', amount: 10, cardScheme: 'visa', ...said, ...data })
  await scene.run(scene.activities.applyRawData, { ingestionId })
  await scene.run(scene.activities.ingestPages, { integrationId: sandbox })
}

describe('a data subject’s removal, in the whole database', { retry: 0 }, () => {
  test('the person is in every place that may hold one before', async () => {
    expect(await scene.placesOf(jane)).toEqual([
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

  test('and nowhere afterwards, sealed or plain; what is left is a proof in numbers', async () => {
    expect(
      await scene.remove({ ...jane, email: jane.email.toLowerCase(), firstName: jane.firstName.toUpperCase() }),
    ).toBe(true)
    expect(await scene.placesOf(jane)).toEqual([])
    expect(await scene.proof()).toMatchObject({
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

  test('everybody else stays where they were', async () => {
    expect(await scene.placesOf(other)).toEqual([
      'client_data.sealed',
      'file.content_sealed',
      'raw_object.sealed',
      'transaction_record.sealed',
    ])
  })

  test('the chargeback keeps its figures, and its timeline tells of the erasure once', async () => {
    const { body } = await scene.call('GET', `/chargebacks/${chargebackId}`)
    expect(body.data).toMatchObject({
      chargebackId: reference,
      amount: expect.any(Number),
      status: 'pending_psp_results',
    })
    const timeline = (await scene.call('GET', `/chargebacks/${chargebackId}/timeline`)).body.data as { what: string }[]
    expect(timeline.filter(({ what }) => what === 'personal data erased')).toHaveLength(1)
    const { id } = await scene.chargeback('posted-1')
    const told = (await scene.call('GET', `/chargebacks/${id}/timeline`)).body.data as object[]
    expect(told).toContainEqual(
      expect.objectContaining({
        what: 'free text erased',
        after: { reason: null, externalTransactionIdentifier: null },
      }),
    )
  })

  test('the stored answer is given again without the person', async () => {
    const again = await withKey()
    expect(again).toMatchObject({ id: underKey.id, metadata: '{"of":null}' })
  })

  test('what the PSP sends again does not bring the person back, even if everything is read and translated anew', async () => {
    await scene.control('POST', `/disputes/${reference}/decide`, { outcome: 'lost' })
    await scene.notify(reference)
    const { db } = scene.stage
    await db
      .updateTable('chargeback')
      .set({ translation_version: 0, context_at: null, context_after: new Date(0) })
      .execute()
    await scene.poll()
    expect(await scene.chargeback(reference)).toMatchObject({ psp_status: 'lost', context_at: expect.any(Date) })
    await posted('chargebacks', { chargebackId: 'posted-1', pspStatus: 'lost', lifecycleStage: 'chargeback' })
    expect(await scene.placesOf(jane)).toEqual([])
    expect(await scene.placesOf(other)).toContain('raw_object.sealed')
  })

  test('repeating it is harmless', async () => {
    expect(await scene.remove(jane)).toBe(true)
    expect(await scene.proof()).toEqual({})
    expect(await scene.placesOf(jane)).toEqual([])
  })
})

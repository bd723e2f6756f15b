import { expect } from 'vitest'
import { endCommand } from '../../../db/commands/command-ends.ts'
import { loadCommand } from '../../../db/commands/commands.ts'
import { samplePdf } from '../../harness/sample-files.ts'
import type { Fixture } from './fixture.ts'

const page = (text: string) => samplePdf({ content: `BT (${text}) Tj ET`, deflate: true })

/** Stores a person in every place that may hold one, in other letter case than the request's, and another person. */
export async function placeEverywhere(fixture: Fixture) {
  const post = async (path: string, body: unknown) => {
    const response = await fixture.call('POST', path, body)
    expect([path, response.status, response.text]).toEqual([path, 201, expect.any(String)])
    return response.body.id as string
  }
  let sandbox = ''
  const bystander = await fixture.dispute({ reason: '10.4' })
  const victim = await fixture.dispute({ reason: '10.4', dueInHours: 200 })
  const [jane, other, reference] = [victim.payer, bystander.payer, victim.reference]
  const upperCase = jane.email.toUpperCase()
  const evidence = { customer_email_address: upperCase, customer_name: `${jane.firstName} ${jane.lastName}` }
  await fixture.control('POST', '/disputes', { malformed: 'amount_text', fields: { evidence } })
  await fixture.poll()
  const chargeback = await fixture.chargeback(reference)
  const chargebackId = chargeback.id as string
  const theirs = (await fixture.chargeback(bystander.reference)).id
  await fixture.notify(reference)

  await post('/transactions', {
    transactionId: chargeback.transaction_id,
    transactionShippingEmail: upperCase,
    transactionOrderPhone: jane.phone,
  })
  await post('/transactions', { transactionId: 'ch_earlier', transactionOrderEmail: upperCase })
  await post('/transactions', {
    transactionId: 'ch_other',
    transactionOrderEmail: other.email,
    transactionOrderPhone: other.phone,
  })
  for (const [id, who] of [
    [chargebackId, upperCase],
    [theirs, other.email],
  ])
    expect((await fixture.call('PATCH', `/chargebacks/${id}`, { mail: { thread: [`from ${who}`] } })).status).toBe(201)
  await fixture.upload(page(`Bill to ${upperCase}`))
  await fixture.upload(page('Terms'), [{ name: 'metadata', content: JSON.stringify({ of: upperCase }) }])
  await fixture.upload(page(`Bill to ${other.email}`))
  const underKey = await withKey()
  const { id: sent } = await fixture.upload(page('Delivered to the door'))
  await submitted(sent)

  sandbox = await fixture.connect({
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
  // Found only by the shop's own order number.
  await upload('card_checks', { id: 'check-1', externalTransactionIdentifier: 'order-77', phone: jane.phone })
  await upload('card_checks', { id: 'check-2', externalTransactionIdentifier: jane.email, chargebackId: 'posted-2' })
  await posted('early_fraud_warnings', { chargebackId: 'alert-1', providerName: 'Ethoca' })
  const [{ alertId }] = (await fixture.call('GET', '/pre-chargeback-alerts/alerts')).body.data
  await post('/pre-chargeback-alerts/alerts/outcome', {
    alertId,
    providerName: 'Ethoca',
    outcome: 'resolved',
    comments: `Told ${upperCase}`,
  })
  function withKey() {
    return fixture.upload(
      page('Kept'),
      [{ name: 'metadata[of]', content: jane.email }],
      { 'idempotency-key': 'k1' },
      `${jane.email}.pdf`,
    )
  }

  async function submitted(fileId: string): Promise<void> {
    const id = await post(`/chargebacks/${chargebackId}/evidence/submit`, { fileId })
    const command = await loadCommand(fixture.stage.db, id)
    if (command) await endCommand(fixture.stage.db, command, { status: 'succeeded' }, 'stripe')
  }

  function upload(dataType: string, rawData: object): Promise<string> {
    const sent = { dataSource: 'recoup_sandbox', dataSourceVersion: '1', requestTimeStamp: '2026-06-01T10:00:00Z' }
    return post('/sandbox/raw-data', { ...sent, dataType, integrationId: sandbox, rawData })
  }

  async function posted(dataType: string, data: object): Promise<void> {
    const fields = { reason: `claim of ${jane.email}`, externalTransactionIdentifier: jane.email }
    const ingestionId = await upload(dataType, { currency: 'EUR', amount: 10, cardScheme: 'visa', ...fields, ...data })
    await fixture.run(fixture.activities.applyRawData, { ingestionId })
    await fixture.run(fixture.activities.ingestPages, { integrationId: sandbox })
  }

  return { jane, other, reference, chargebackId, underKey, withKey, posted }
}

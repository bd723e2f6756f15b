import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { loadPlan } from '../../../../db/evidence/evidence-plans.ts'
import { readFile } from '../../../../db/evidence/files.ts'
import { randomPdf } from '../../../harness/sample-files.ts'
import { pdfOf } from '../commands/submission-fixture.ts'
import { DELIVERED, type Fixture, openFixture } from './package-fixture.ts'

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex')

/** Fields of the PDF. */
const PLACES: Record<string, string> = {
  stripe: 'uncategorized_file',
  paypal: 'PROOF_OF_FULFILLMENT',
  braintree: 'PROOF_OF_DELIVERY',
  adyen: 'ServicesProvided/ProofOfGoodsOrServicesProvided',
  recoup_sandbox: 'other',
}

/** A package that was reviewed, approved and sent. */
async function sent(fixture: Fixture, id: string, ref: string) {
  await fixture.build()
  const { body: draft } = await fixture.draft(id)
  const { merchantUuid } = fixture.stage
  const { content } = await readFile(fixture.stage.db, fixture.stage.ring, { merchantUuid, fileId: draft.fileId })
  const { status, body } = await fixture.submit(id, draft.fileId)
  expect(status).toBe(201)
  await fixture.run(fixture.activities.planEvidence, { submitEvidenceId: body.id })
  const plan = await loadPlan(fixture.stage.db, fixture.stage.ring, body.id)
  await fixture.work(body.id)
  expect(await fixture.read(id, body.id)).toMatchObject({ status: 'succeeded', fileId: draft.fileId })
  const [submission, ...others] = await fixture.effects(ref, 'submission')
  expect(others).toEqual([])
  const uploads = [...(await fixture.effects(ref, 'upload')), ...(await fixture.effects('', 'upload'))]
  const { object } = await fixture.control('GET', `/disputes/${ref}`)
  return { draft, content, uploads, plan, atPsp: JSON.stringify([submission, object]) }
}

test.each(Object.keys(PLACES))('%s gets the texts and the PDF of the frozen package, in its field', async (source) => {
  await using fixture = await openFixture(source)
  const { id, ref } = await fixture.building()
  const { draft, content, uploads, plan, atPsp } = await sent(fixture, id, ref)
  expect(await fixture.packages(id)).toMatchObject([{ state: 'frozen' }])
  expect([plan?.texts, plan?.planned?.fields]).toEqual([draft.texts, [PLACES[source]]])
  if (source === 'adyen') expect(draft.texts).toEqual({})
  else expect(Object.values(draft.texts).join('\n')).toContain('00340434161094042557')
  for (const [field, text] of Object.entries(draft.texts as Record<string, string>))
    expect(atPsp.includes(JSON.stringify(text).slice(1, -1)) || atPsp.includes(sha256(text)), field).toBe(true)
  const bytes = uploads.map(({ details }) => details.sha256)
  expect(bytes.length > 0 ? bytes : atPsp).toContain(sha256(content))
})

test('Braintree gets an earlier purchase as data', async () => {
  await using fixture = await openFixture('braintree')
  const shared = {
    transactionOrderIpAddress: '203.0.113.9',
    transactionShippingToFullShippingAddress: '12 Mill Lane, Leeds, LS1 4DY, GB',
  }
  // The PSP has its own e-mail address and postal code of the customer.
  const agreeing = { ...shared, transactionOrderEmail: '', transactionShippingToZipCode: 'LS1 4DY' }
  const { id, ref } = await fixture.building(agreeing, { reason: '10.4' })
  const { activities, integrationId } = fixture
  for (let done = false; !done; ) ({ done } = await fixture.run(activities.enrichChargebacks, { integrationId }))
  const disputed = await fixture.chargeback(ref)
  const posted = disputed?.posting_date?.getTime() ?? 0
  for (const [transactionId, days] of [
    ['earlier1', 300],
    ['earlier2', 200],
  ] as const) {
    const transactionCreatedDate = new Date(posted - days * 86_400_000).toISOString()
    const card = { transactionCardLastFourDigits: disputed?.card_last_four_digits }
    const { status, text } = await fixture.stage.call('POST', '/v1/transactions', {
      body: { transactionId, transactionCreatedDate, ...card, ...shared },
    })
    expect(status, text).toBe(201)
  }
  const { atPsp } = await sent(fixture, id, ref)
  for (const part of ['ID', 'DATE_TIME', 'IP_ADDRESS', 'PHYSICAL_ADDRESS'])
    expect(atPsp).toContain(`PRIOR_NON_DISPUTED_TRANSACTION_${part}`)
  expect(atPsp).toContain('earlier2')
})

test('a package has the pages that Stripe takes with its texts, though its files have more', async () => {
  await using fixture = await openFixture('stripe')
  const { id, ref } = await fixture.building({}, { reason: '4855' })
  for (const kind of ['delivery', 'receipt', 'terms'])
    await fixture.file(await pdfOf(14), 'application/pdf', { chargebackId: id, kind })
  const { draft } = await sent(fixture, id, ref)
  expect(draft.pages).toBe(18)
  expect(draft.warnings.join('\n')).toMatch(/Exhibit B has the first \d of 14 pages/)
  // All pages of the files are too many for Mastercard.
  const other = await fixture.building({}, { reason: '4855' })
  const own = await fixture.file(await pdfOf(42))
  const { body } = await fixture.submit(other.id, own)
  await fixture.work(body.id)
  expect(await fixture.read(other.id, body.id)).toMatchObject({ status: 'failed' })
})

test('Adyen gets a package of at most 2 MB: a larger PDF is left out, and the draft says so', async () => {
  await using fixture = await openFixture('adyen')
  const { id, ref } = await fixture.building()
  const large = await fixture.file(randomPdf(5_000_000), 'application/pdf', { chargebackId: id, kind: 'receipt' })
  const small = await fixture.file(await pdfOf(1), 'application/pdf', { chargebackId: id, kind: 'delivery' })
  const { draft } = await sent(fixture, id, ref)
  expect(draft.bytes).toBeLessThan(2 * 1024 * 1024)
  expect(draft.exhibits).toMatchObject([{ fileId: small }])
  expect(draft.filesLeft).toMatchObject([{ fileId: large }])
})

test('Stripe gets the earlier purchases of the reviewed package, whatever is known of them later', async () => {
  await using fixture = await openFixture('stripe')
  const shared = { transactionOrderIpAddress: '203.0.113.9', transactionShippingToAddressLine1: '1 Main St' }
  const { id, ref } = await fixture.building(shared, { reason: '10.4' })
  const name = 'visa_compelling_evidence_3'
  await fixture.askForPurchases(ref)
  const disputed = await fixture.chargeback(ref)
  const posted = disputed?.posting_date?.getTime() ?? 0
  const post = async (transactionId: string, days: number, description: string) => {
    const { status, text } = await fixture.stage.call('POST', '/v1/transactions', {
      body: {
        ...{ transactionId, ...shared, transactionOrderEmail: DELIVERED.transactionOrderEmail },
        transactionCardLastFourDigits: disputed?.card_last_four_digits,
        transactionCreatedDate: new Date(posted - days * 86_400_000).toISOString(),
        transactionOrderItemsProductDescription: description,
      },
    })
    expect(status, text).toBe(201)
  }
  await post('ch_earlier1', 300, 'Red shoes')
  await post('ch_earlier2', 200, 'Red shoes')
  await fixture.build()
  const { fileId } = (await fixture.draft(id)).body
  const { status, body } = await fixture.submit(id, fileId)
  expect(status, JSON.stringify(body)).toBe(201)
  await post('ch_earlier1', 300, 'Green shoes')
  await post('ch_earlier2', 200, 'Green shoes')
  await post('ch_earlier3', 250, 'Green shoes')
  await fixture.run(fixture.activities.planEvidence, { submitEvidenceId: body.id })
  const texts = (await loadPlan(fixture.stage.db, fixture.stage.ring, body.id))?.texts ?? {}
  const prior = Object.entries(texts).filter(([field]) => field.startsWith(`${name}.prior`))
  expect(prior.filter(([field]) => field.endsWith('.charge')).map(([, charge]) => charge)).toEqual(
    expect.arrayContaining(['ch_earlier1', 'ch_earlier2']),
  )
  expect(Object.values(texts).join('\n')).not.toContain('Green')
})

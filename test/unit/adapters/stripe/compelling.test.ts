import { describe, expect, test } from 'vitest'
import { stripe } from '../../../../adapters/stripe/index.ts'
import { planSubmission } from '../../../../adapters/stripe/plan.ts'
import type { CompellingEvidenceInput } from '../../../../domain/assessment/compelling-evidence.ts'
import { startSimulator } from '../../../../simulators/engine/serve.ts'
import { DEMO_ACCOUNT, stripeSimulator } from '../../../../simulators/stripe/index.ts'
import { connectStripe, sampleDispute, sendJson, startLoopback } from '../loopback.ts'

const ROOT = 'visa_compelling_evidence_3'
const DUE = Math.floor(Date.now() / 1000) + 86_400
const postingDate = new Date('2026-06-30T00:00:00Z')
const daysBefore = (days: number) => new Date(postingDate.getTime() - days * 86_400_000).toISOString()
const card = { transactionCardLastFourDigits: '4242' }
const customer = {
  transactionOrderIpAddress: '203.0.113.9',
  transactionOrderDeviceId: 'device-number-9-of-this-customer',
  transactionShippingToFullShippingAddress: '1 Main St, Springfield',
  transactionOrderSteamId: 'account-9',
  transactionOrderEmail: 'buyer@example.com',
}
const sold = { transactionOrderItemsProductDescription: 'Running shoes' }
const purchase = (transactionId: string, more: object = {}) => ({
  transactionId,
  fields: { ...card, ...customer, ...sold, transactionCreatedDate: daysBefore(200), ...more },
})
const purchases = (changes: Partial<CompellingEvidenceInput> = {}): CompellingEvidenceInput => ({
  ...{ cardScheme: 'visa', reasonCode: '10.4', postingDate },
  disputed: { ...card, ...customer, ...sold },
  earlier: [purchase('ch_1'), purchase('ch_2')],
  ...changes,
})

/** A dispute with Visa condition 10.4 and this eligibility. */
function eligible(status = 'requires_action', changes: Record<string, unknown> = {}) {
  const enhanced_eligibility = { [ROOT]: { status, required_actions: [] } }
  const evidence_details = { ...(sampleDispute().evidence_details as object), due_by: DUE, enhanced_eligibility }
  return sampleDispute({ evidence_details, ...changes })
}
async function requirementsOf(dispute: Record<string, unknown>) {
  await using server = await startLoopback((_, response) => sendJson(response, 200, dispute))
  return await connectStripe(server.url).describeEvidence('dp_sample1')
}
async function planned(given: CompellingEvidenceInput, texts: Record<string, string> = {}) {
  return planSubmission(await requirementsOf(eligible()), { files: [], texts, purchases: given })
}

describe('whether compelling evidence is requested', () => {
  test.each([
    ['requires_action', {}, true],
    ['qualified', {}, undefined],
    ['not_qualified', {}, undefined],
    ['requires_action', { status: 'appeal_needs_response' }, undefined],
  ])('%s %o: %s', async (status, changes, requested) =>
    expect((await requirementsOf(eligible(status, changes))).compellingEvidence).toBe(requested),
  )

  test('no purchases are sent unless it is requested', () => {
    const without = { ...stripe.evidence, answerable: true, reason: null, dueDate: null, oneShot: true } as never
    const plan = planSubmission(without, { files: [], texts: {}, purchases: purchases() })
    expect([plan.texts, plan.dropped]).toEqual([{}, []])
  })
})

describe('planning compelling evidence', () => {
  test('the disputed purchase and exactly two earlier ones, with the values that are equal in all three', async () => {
    const { texts, dropped } = await planned(purchases())
    const shared = {
      customer_account_id: 'account-9',
      customer_device_id: 'device-number-9-of-this-customer',
      customer_email_address: 'buyer@example.com',
      customer_purchase_ip: '203.0.113.9',
      product_description: 'Running shoes',
    }
    const expected = {
      disputed_transaction: { merchandise_or_services: 'merchandise', ...shared },
      'prior_undisputed_transactions.0': { charge: 'ch_1', ...shared },
      'prior_undisputed_transactions.1': { charge: 'ch_2', ...shared },
    }
    const flat = Object.entries(expected).flatMap(([part, fields]) =>
      Object.entries(fields).map(([field, text]) => [`${ROOT}.${part}.${field}`, text]),
    )
    expect(texts).toEqual(Object.fromEntries(flat))
    expect(dropped).toEqual([
      { what: `${ROOT}.disputed_transaction.shipping_address`, why: expect.stringMatching('city and country') },
    ])
  })

  test('a value that differs in one of the three is sent for none of them', async () => {
    const earlier = [purchase('ch_1'), purchase('ch_2', { transactionOrderEmail: 'else@example.com' })]
    const { texts } = await planned(purchases({ earlier }))
    expect(Object.keys(texts).some((name) => name.endsWith('customer_email_address'))).toBe(false)
    expect(Object.keys(texts).some((name) => name.endsWith('customer_purchase_ip'))).toBe(true)
  })

  test.each([
    ['a device id of 14 characters is not sent', { transactionOrderDeviceId: 'x'.repeat(14) }, 0],
    ['a device id of 15 characters is sent', { transactionOrderDeviceId: 'x'.repeat(15) }, 3],
  ])('%s', async (_, device, times) => {
    const { texts } = await planned({
      ...purchases({ disputed: { ...card, ...customer, ...sold, ...device } }),
      earlier: [purchase('ch_1', device), purchase('ch_2', device)],
    })
    expect(Object.keys(texts).filter((name) => name.endsWith('customer_device_id'))).toHaveLength(times)
    expect(Object.keys(texts).length).toBeGreaterThan(10)
  })

  test('the client’s `merchandiseOrServices` takes precedence over the shipping address', async () => {
    const disputed = { ...card, ...customer, ...sold, merchandiseOrServices: 'Services' }
    expect((await planned(purchases({ disputed }))).texts).toMatchObject({
      [`${ROOT}.disputed_transaction.merchandise_or_services`]: 'services',
    })
  })

  const { transactionShippingToFullShippingAddress: _, ...digital } = customer
  test.each<[string, Partial<CompellingEvidenceInput>, RegExp]>([
    [
      'neither `merchandiseOrServices` nor a shipping address is given',
      { disputed: { ...card, ...digital, ...sold } },
      /merchandiseOrServices/,
    ],
    ['the disputed purchase has no product description', { disputed: { ...card, ...customer } }, /ProductDescription/],
    [
      'an earlier purchase was made at another PSP',
      { earlier: [purchase('ch_1'), purchase('PAY-2')] },
      /charges of Stripe/,
    ],
    [
      'an earlier purchase has no product description',
      { earlier: [purchase('ch_1'), purchase('ch_2', { transactionOrderItemsProductDescription: '' })] },
      /product description/,
    ],
    [
      'only the shipping address and the IP address are equal',
      {
        disputed: {
          ...card,
          ...sold,
          ...customer,
          transactionOrderSteamId: 'a',
          transactionOrderEmail: 'b@example.com',
          transactionOrderDeviceId: 'c',
        },
      },
      /two of IP address/,
    ],
  ])('%s: no compelling evidence is sent, and the plan says why', async (_, changes, why) => {
    const { texts, dropped } = await planned(purchases(changes))
    expect(texts).toEqual({})
    expect(dropped).toEqual([{ what: ROOT, why: expect.stringMatching(why) }])
  })

  test('two earlier charges are found among purchases at other PSPs', async () => {
    const earlier = [purchase('PAY-1'), purchase('PAY-2'), purchase('ch_8'), purchase('py_9')]
    const { texts } = await planned(purchases({ earlier }))
    expect([0, 1].map((index) => texts[`${ROOT}.prior_undisputed_transactions.${index}.charge`])).toEqual([
      'ch_8',
      'py_9',
    ])
  })

  test('without two earlier purchases nothing is sent or dropped, because the assessment reports it', async () => {
    expect(await planned(purchases({ earlier: [purchase('ch_1')] }))).toMatchObject({ texts: {}, dropped: [] })
  })

  test('compelling evidence that does not fit completely is dropped and named', async () => {
    const names = Object.keys(stripe.evidence?.textFields ?? {}).filter(
      (name) => stripe.evidence?.textFields[name] === 20_000,
    )
    const texts = Object.fromEntries(names.map((name) => [name, 'x'.repeat(18_749)]))
    const plan = await planned(purchases(), texts)
    expect(Object.keys(plan.texts).filter((name) => name.startsWith(ROOT))).toEqual([])
    expect(plan.dropped.at(-1)).toEqual({ what: ROOT, why: expect.stringMatching('completely') })
  })

  test('a client’s text with the name of a compelling evidence field is dropped', async () => {
    const name = `${ROOT}.disputed_transaction.customer_purchase_ip`
    expect((await planned(purchases({ earlier: [] }), { [name]: 'x' })).dropped).toEqual([
      { what: name, why: 'there is no such text' },
    ])
  })
})

describe('compelling evidence at Stripe', () => {
  async function simulated(related = ['ch_1', 'ch_2']) {
    const simulator = await startSimulator(stripeSimulator)
    const control = async (method: string, path: string, body?: unknown) =>
      (await (
        await fetch(simulator.controlUrl + path, { method, ...(body !== undefined && { body: JSON.stringify(body) }) })
      ).json()) as { disputes: { ref: string }[]; effects: { details: Record<string, unknown> }[] }
    const adapter = connectStripe(simulator.url, {
      secret: { apiKey: String(stripeSimulator.secretPayload.apiKey) },
      externalIdentifier: DEMO_ACCOUNT,
      pspAccount: DEMO_ACCOUNT,
    })
    const order = { count: 12, status: 'needs_response', stage: 'chargeback', reason: '10.4', dueInHours: 48 }
    const { disputes } = await control('POST', '/disputes', {
      ...order,
      related: related.map((id) => ({ id, object: 'charge' })),
    })
    const described = await Promise.all(
      disputes.map(async ({ ref }) => ({ ref, requirements: await adapter.describeEvidence(ref) })),
    )
    const found = described.find(({ requirements }) => requirements.compellingEvidence)
    if (!found) throw new Error('no dispute needs compelling evidence')
    const plan = planSubmission(found.requirements, {
      files: [],
      texts: { uncategorized_text: 'Delivered.' },
      purchases: purchases(),
    })
    const request = { reference: found.ref, idempotencyKey: 'k', digest: plan.digest, files: {}, texts: plan.texts }
    return { simulator, control, adapter, request }
  }

  test('is staged, qualifies, and is sent with the submission', async () => {
    const { simulator, control, adapter, request } = await simulated()
    await using _ = simulator
    expect(await adapter.stageEvidence(request)).toMatchObject({ result: 'applied' })
    expect(await adapter.stageEvidence(request)).toEqual({ result: 'already_applied', requestId: null })
    expect((await adapter.submitEvidence(request)).result).toBe('applied')
    const { effects } = await control('GET', `/effects?ref=${request.reference}&kind=submission`)
    expect(effects[0]?.details).toMatchObject({
      compellingEvidence: { status: 'qualified', charges: ['ch_1', 'ch_2'] },
    })
  })

  test('that Stripe refuses is left out and reported, and the rest is staged', async () => {
    const { simulator, control, adapter, request } = await simulated([])
    await using _ = simulator
    expect(await adapter.stageEvidence(request)).toMatchObject({ result: 'applied' })
    expect(await adapter.stageEvidence(request)).toEqual({
      result: 'already_applied',
      requestId: null,
      leftOut: [{ what: ROOT, why: expect.stringMatching(/./) }],
    })
    expect((await adapter.submitEvidence(request)).result).toBe('applied')
    const { effects } = await control('GET', `/effects?ref=${request.reference}&kind=submission`)
    expect(effects).toHaveLength(1)
    expect(effects[0]?.details).not.toHaveProperty('compellingEvidence')
  })
})

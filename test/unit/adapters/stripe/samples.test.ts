import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { toTransaction } from '../../../../adapters/stripe/context.ts'
import { stripeCursor } from '../../../../adapters/stripe/cursor.ts'
import { stripe } from '../../../../adapters/stripe/index.ts'
import { startSimulator } from '../../../../simulators/engine/serve.ts'
import { DEMO_ACCOUNT, stripeSimulator } from '../../../../simulators/stripe/index.ts'
import { connectStripe } from '../loopback.ts'

type Json = Record<string, unknown>

/** Stripe's own published samples, which are not part of the project. */
const FILE = new URL('../../../../shared/specs/stripe-fixtures.json', import.meta.url)
const present = existsSync(FILE)
const samples: Record<string, Json> = present ? JSON.parse(readFileSync(FILE, 'utf8')) : {}
if (!present) console.warn('skipped: Stripe’s published samples (../shared/specs/stripe-fixtures.json) are not here')

/** The sample plus the fields of the pinned version that it lacks. */
function completed(): { dispute: Json; charge: Json } {
  const { dispute = {}, charge = {} } = structuredClone(samples)
  const details = dispute.evidence_details as Json
  const card = (charge.payment_method_details as Json).card as Json
  return {
    dispute: {
      ...dispute,
      charge: charge.id,
      intended_submission_method: null,
      evidence: { ...(dispute.evidence as Json), appeal: null },
      evidence_details: { ...details, submission_method: 'not_submitted' },
    },
    charge: {
      ...charge,
      shipping: {
        name: 'Jenny Rosen',
        phone: '+15550100',
        address: { line1: '510 Townsend', state: 'CA', country: 'US' },
      },
      outcome: { ...(charge.outcome as Json), risk_level: 'normal', risk_score: 12 },
      payment_method_details: {
        ...(charge.payment_method_details as Json),
        card: { ...card, iin: '424242', electronic_commerce_indicator: '05' },
      },
    },
  }
}

async function createSample() {
  const simulator = await startSimulator(stripeSimulator)
  const { dispute, charge } = completed()
  const response = await fetch(`${simulator.controlUrl}/disputes`, {
    method: 'POST',
    body: JSON.stringify({ raw: dispute, related: [charge] }),
  })
  expect(response.status).toBe(201)
  const adapter = connectStripe(simulator.url, {
    secret: { apiKey: String(stripeSimulator.secretPayload.apiKey) },
    externalIdentifier: DEMO_ACCOUNT,
    pspAccount: DEMO_ACCOUNT,
  })
  return { simulator, adapter, dispute, charge }
}

describe.skipIf(!present)("Stripe's published samples", () => {
  test('pass through the simulator unchanged', async () => {
    const { simulator, adapter, dispute, charge } = await createSample()
    await using _ = simulator
    const raw = await adapter.fetchDispute(String(dispute.id))
    expect(JSON.parse(raw.text)).toEqual({ ...dispute, charge })
    const context = await adapter.fetchContext(raw)
    const { charge: enriched } = JSON.parse(context?.text ?? '{}')
    for (const key of Object.keys(charge)) expect(enriched).toHaveProperty(key)
    expect(JSON.parse(context?.text ?? '{}').evidence).toEqual(dispute.evidence)
  })

  test('the sample dispute is listed and translated', async () => {
    const { simulator, adapter, dispute, charge } = await createSample()
    await using _ = simulator
    // The sample was created in 2009.
    const cursor = stripeCursor.initial(new Date())
    const page = await adapter.listDisputes({ cursor, oldestOpen: new Date(Number(dispute.created) * 1000) })
    expect(page.items.map((item) => item.reference)).toEqual([dispute.id])
    expect(JSON.parse(page.items[0]?.text ?? '')).toEqual({ ...dispute, charge })
    expect(stripe.toChargeback(page.items[0] ?? { reference: null, text: '' })).toMatchObject({
      kind: 'chargeback',
      anomalies: [],
      facts: {
        chargebackId: dispute.id,
        currency: 'USD',
        amountMinor: BigInt(Number(dispute.amount)),
        amountExponent: 2,
        postingDate: '2009-02-13T23:31:30.000Z',
        dueDate: '2024-08-14T23:59:59.000Z',
        pspStatus: 'needs_response',
        lifecycleStage: 'inquiry',
        transactionId: charge.id,
        reasonCode: '10.4',
        reason: 'general',
        cardScheme: 'visa',
      },
    })
  })

  test('the sample charge enriches the dispute', async () => {
    const { simulator, adapter, dispute, charge } = await createSample()
    await using _ = simulator
    const context = await adapter.fetchContext(await adapter.fetchDispute(String(dispute.id)))
    const facts = toTransaction(context ?? { reference: null, text: '{}' })
    expect(facts).toMatchObject({
      transactionId: charge.id,
      cardScheme: 'visa',
      bin: '424242',
      cardLastFourDigits: '4242',
      dataPoints: { transactionShippingToAddressLine1: '510 Townsend', transactionShippingToState: 'CA' },
    })
    expect(facts.arn).toBeNull()
  })

  test('the sample dispute is translated as published too', () => {
    const { dispute = {} } = samples
    expect(stripe.toChargeback({ reference: String(dispute.id), text: JSON.stringify(dispute) }).kind).toBe(
      'chargeback',
    )
  })
})

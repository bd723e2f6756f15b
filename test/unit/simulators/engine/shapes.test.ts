import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Anything, connect } from './connect.ts'

const SAMPLES = '../shared/specs/stripe-fixtures.json'
const samples: Anything = existsSync(SAMPLES) ? JSON.parse(readFileSync(SAMPLES, 'utf8')) : null
if (samples === null) console.log(`skipped: Stripe's published sample objects are not at ${SAMPLES}`)

/** Paths of `sample` that none of `objects` has. Does not compare the content of lists, or below a null. */
function missing(sample: Anything, objects: Anything[], path = ''): string[] {
  if (sample === null || typeof sample !== 'object' || Array.isArray(sample)) return []
  const filled = objects.filter((object) => object !== null && typeof object === 'object')
  return Object.keys(sample).flatMap((key) => {
    const having = filled.filter((object) => key in object)
    if (having.length === 0) return filled.length === 0 ? [] : [`${path}${key}`]
    return missing(
      sample[key],
      having.map((object) => object[key]),
      `${path}${key}.`,
    )
  })
}

describe.skipIf(samples === null)("Stripe's published samples", () => {
  it('have no key that a simulated dispute, charge or balance transaction lacks', async () => {
    await using c = await connect()
    await c.create({ count: 60 })
    const expand = ['data.charge.refunds', 'data.charge.balance_transaction']
    const { data } = await c.stripe.disputes.list({ limit: 100, expand })
    const charges = data.map((dispute) => dispute.charge as Anything)
    expect(missing(samples.dispute, data)).toEqual([])
    // `source` is null on every charge of this kind; what is below it in the sample belongs to other payments.
    expect(missing(samples.charge, charges)).toEqual([])
    expect(
      missing(
        samples.balance_transaction,
        data.flatMap((dispute) => dispute.balance_transactions),
      ),
    ).toEqual([])
    expect(
      missing(
        samples.balance_transaction,
        charges.map((charge) => charge.balance_transaction),
      ),
    ).toEqual([])
  })

  it('have no key that a simulated event, file, intent, customer or refund lacks', async () => {
    await using c = await connect()
    await c.create({ count: 60 })
    const file = { data: Buffer.from('%PDF-1.4'), name: 'a.pdf', type: 'application/pdf' }
    const uploaded = await c.stripe.files.create({ purpose: 'dispute_evidence', file })
    const { links: _, ...sampleFile } = samples.file
    const { data: __, ...sampleEvent } = samples.event
    expect(missing(sampleFile, [uploaded])).toEqual([])
    expect(missing(sampleEvent, (await c.stripe.events.list({ limit: 100 })).data)).toEqual([])
    const expand = ['data.payment_intent', 'data.charge.customer', 'data.charge.refunds']
    const { data } = await c.stripe.disputes.list({ limit: 100, expand })
    const charges = data.map((dispute) => dispute.charge as Anything)
    expect(
      missing(
        samples.payment_intent,
        data.map((dispute) => dispute.payment_intent),
      ),
    ).toEqual([])
    expect(
      missing(
        samples.customer,
        charges.map((charge) => charge.customer).filter((customer) => customer && !customer.deleted),
      ),
    ).toEqual([])
    expect(
      missing(
        samples.refund,
        charges.flatMap((charge) => charge.refunds.data),
      ),
    ).toEqual([])
  })

  it('are returned unchanged', async () => {
    await using c = await connect()
    const { dispute, charge } = samples
    await c.create({ raw: dispute, related: [charge] })
    const read = async (path: string): Promise<unknown> => (await c.raw(`GET ${path}`)).json()
    expect(await read(`/v1/disputes/${dispute.id}`)).toEqual(dispute)
    expect(await read(`/v1/charges/${charge.id}`)).toEqual(charge)
    expect(await read('/v1/disputes?expand[]=data.charge')).toMatchObject({ data: [{ ...dispute, charge }] })
    await c.control('POST /clock', { seconds: 86_400 })
    expect(await read(`/v1/disputes/${dispute.id}`)).toEqual(dispute)
  })
})

describe('fields of the pinned version that the samples lack', () => {
  it('are present', async () => {
    await using c = await connect()
    await c.create({ count: 60 })
    const { data } = await c.stripe.disputes.list({ limit: 100, expand: ['data.charge'] })
    for (const dispute of data) {
      expect(dispute).toHaveProperty('intended_submission_method')
      expect(dispute).toHaveProperty('evidence_details.submission_method')
      expect(dispute).toHaveProperty('evidence.appeal')
    }
    const charges = data.map((dispute) => dispute.charge as Anything)
    const cards = charges.flatMap((charge) => charge.payment_method_details.card ?? [])
    expect(cards.every((card) => 'electronic_commerce_indicator' in card)).toBe(true)
    expect(cards.some((card) => /^\d{6}$/.test(card.iin))).toBe(true)
    expect(cards.some((card) => card.wallet?.type === 'apple_pay')).toBe(true)
    expect(charges.some((charge) => charge.shipping?.tracking_number)).toBe(true)
    expect(charges.every((charge) => typeof charge.outcome.risk_score === 'number')).toBe(true)
  })
})

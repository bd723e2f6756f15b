import { describe, expect, it } from 'vitest'
import { type Connected, connect, refusal } from './connect.ts'

const CHARGES = ['ch_prior1', 'ch_prior2', 'ch_prior3']

/** A Visa fraud dispute that is waiting for compelling evidence, with undisputed charges. */
async function waiting(c: Connected): Promise<string> {
  const related = CHARGES.map((id) => ({ id, object: 'charge' }))
  const order = { count: 12, status: 'needs_response', stage: 'chargeback', reason: '10.4', related }
  const disputes = await Promise.all((await c.create(order)).map((ref) => c.stripe.disputes.retrieve(ref)))
  const wanted = disputes.find(
    ({ evidence_details: details }) =>
      details.enhanced_eligibility.visa_compelling_evidence_3?.status === 'requires_action',
  )
  return wanted?.id ?? ''
}

const customer = { customer_purchase_ip: '203.0.113.9', customer_email_address: 'buyer@example.com' }
const disputed = { ...customer, merchandise_or_services: 'services', product_description: 'Design plan' }
const prior = (charge: string, more: object = {}) => ({ charge, ...customer, product_description: 'Plan', ...more })
const both = [prior('ch_prior1'), prior('ch_prior2')]

const stage = (c: Connected, ref: string, disputed_transaction: object, prior_undisputed_transactions: object[]) =>
  c.stripe.disputes.update(ref, {
    submit: false,
    evidence: {
      enhanced_evidence: { visa_compelling_evidence_3: { disputed_transaction, prior_undisputed_transactions } },
    },
  } as never)

describe('evidence.enhanced_evidence.visa_compelling_evidence_3', () => {
  it('qualifies with two earlier charges and all required fields', async () => {
    await using c = await connect()
    const { evidence, evidence_details } = await stage(c, await waiting(c), disputed, both)
    expect(evidence_details.enhanced_eligibility.visa_compelling_evidence_3).toEqual({
      required_actions: [],
      status: 'qualified',
    })
    const { visa_compelling_evidence_3: staged } = evidence.enhanced_evidence
    expect(staged?.prior_undisputed_transactions.map(({ charge }) => charge)).toEqual(['ch_prior1', 'ch_prior2'])
    expect(staged?.disputed_transaction).toMatchObject({ ...disputed, customer_device_id: null })
  })

  it.each([
    ['missing_merchandise_or_services', { ...disputed, merchandise_or_services: undefined }, both],
    ['missing_disputed_transaction_description', { ...disputed, product_description: undefined }, both],
    [
      'missing_prior_undisputed_transaction_description',
      disputed,
      [prior('ch_prior1'), prior('ch_prior2', { product_description: undefined })],
    ],
    ['missing_customer_identifiers', { ...disputed, customer_email_address: 'other@example.com' }, both],
    [
      'missing_customer_identifiers',
      { ...disputed, shipping_address: { line1: '1 Main St' }, customer_email_address: undefined },
      both,
    ],
  ])('reports %s', async (action, transaction, priors) => {
    await using c = await connect()
    const { evidence_details } = await stage(c, await waiting(c), transaction, priors)
    expect(evidence_details.enhanced_eligibility.visa_compelling_evidence_3).toEqual({
      required_actions: [action],
      status: 'requires_action',
    })
  })

  it.each([
    ['one earlier charge', disputed, [prior('ch_prior1')]],
    ['three earlier charges', disputed, CHARGES.map((id) => prior(id))],
    ['the same charge twice', disputed, [prior('ch_prior1'), prior('ch_prior1')]],
    ['an unknown charge', disputed, [prior('ch_prior1'), prior('ch_none')]],
    ['no charge', disputed, [prior('ch_prior1'), customer]],
    ['a device id of 14 characters', { ...disputed, customer_device_id: 'x'.repeat(14) }, both],
    ['a fingerprint of 19 characters', { ...disputed, customer_device_fingerprint: 'x'.repeat(19) }, both],
    ['a value other than merchandise or services', { ...disputed, merchandise_or_services: 'goods' }, both],
    ['an unknown field', { ...disputed, customer_phone: '1' }, both],
  ])('refuses %s', async (_, transaction, priors) => {
    await using c = await connect()
    const ref = await waiting(c)
    expect((await refusal(stage(c, ref, transaction, priors))).statusCode).toBe(400)
    expect((await c.stripe.disputes.retrieve(ref)).evidence.enhanced_evidence).toEqual({})
  })

  it('refuses a charge that is disputed itself, and a dispute of another kind', async () => {
    await using c = await connect()
    const ref = await waiting(c)
    const { charge } = await c.stripe.disputes.retrieve(ref)
    expect((await refusal(stage(c, ref, disputed, [prior('ch_prior1'), prior(String(charge))]))).statusCode).toBe(400)
    const [other = ''] = await c.create({ count: 1, status: 'needs_response', stage: 'chargeback', reason: '4837' })
    expect((await refusal(stage(c, other, disputed, both))).statusCode).toBe(400)
  })
})

describe('a dispute for which Stripe found two earlier purchases', () => {
  const DAY = 86_400
  const order = { count: 1, variant: 'compelling_evidence' }

  it('is a qualified Visa fraud dispute with two purchases that have the same customer identifiers', async () => {
    await using c = await connect()
    const [ref = ''] = await c.create(order)
    const dispute = await c.stripe.disputes.retrieve(ref)
    expect(dispute).toMatchObject({ status: 'needs_response', network_reason_code: '10.4', reason: 'fraudulent' })
    expect(dispute.payment_method_details?.card?.network).toBe('visa')
    expect(dispute.evidence_details.enhanced_eligibility.visa_compelling_evidence_3).toEqual({
      required_actions: [],
      status: 'qualified',
    })
    const { visa_compelling_evidence_3: filled } = dispute.evidence.enhanced_evidence
    const priors = filled?.prior_undisputed_transactions ?? []
    expect(priors).toHaveLength(2)
    for (const name of ['customer_purchase_ip', 'customer_device_id', 'customer_email_address'] as const) {
      const values = [filled?.disputed_transaction?.[name], ...priors.map((prior) => prior[name])]
      expect(new Set(values).size).toBe(1)
      expect(values[0]).toBeTruthy()
    }
  })

  it('shows them as undisputed charges, 120 to 365 days earlier, individually and in the list', async () => {
    await using c = await connect()
    const [ref = ''] = await c.create(order)
    const { created, charge, evidence } = await c.stripe.disputes.retrieve(ref)
    const ids = evidence.enhanced_evidence.visa_compelling_evidence_3?.prior_undisputed_transactions.map(
      (one) => one.charge,
    )
    const charges = await Promise.all((ids ?? []).map((id) => c.stripe.charges.retrieve(id)))
    for (const earlier of charges) {
      expect(earlier).toMatchObject({ disputed: false, paid: true, status: 'succeeded' })
      const days = (created - earlier.created) / DAY
      expect(days).toBeGreaterThan(120)
      expect(days).toBeLessThan(365)
    }
    const { data } = await c.stripe.charges.list({ limit: 2, starting_after: String(charge) })
    expect(data.map(({ id }) => id)).toEqual(ids)
  })

  it('stays qualified when the same charges are staged again by hand', async () => {
    await using c = await connect()
    const [ref = ''] = await c.create(order)
    const { evidence } = await c.stripe.disputes.retrieve(ref)
    const filled = evidence.enhanced_evidence.visa_compelling_evidence_3
    const priors = filled?.prior_undisputed_transactions ?? []
    const again = await stage(
      c,
      ref,
      disputed,
      priors.map(({ charge }) => prior(charge)),
    )
    expect(again.evidence_details.enhanced_eligibility.visa_compelling_evidence_3?.status).toBe('qualified')
  })

  it('is among the 60 disputes that a demo starts with, and not in an order without the variant', async () => {
    await using c = await connect()
    await c.create({ count: 60 })
    const { data } = await c.stripe.disputes.list({ limit: 100 })
    const statusOf = ({ evidence_details }: (typeof data)[number]) =>
      evidence_details.enhanced_eligibility.visa_compelling_evidence_3?.status
    const qualified = data.filter((dispute) => statusOf(dispute) === 'qualified')
    expect(qualified.length).toBeGreaterThanOrEqual(1)
    expect(qualified.every(({ status }) => status === 'needs_response')).toBe(true)
    const refs = await c.create({ count: 30, status: 'needs_response', stage: 'chargeback', reason: '10.4' })
    const others = await Promise.all(refs.map((ref) => c.stripe.disputes.retrieve(ref)))
    expect(others.map(statusOf)).not.toContain('qualified')
  })
})

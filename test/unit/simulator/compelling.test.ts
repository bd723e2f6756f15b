import { describe, expect, it } from 'vitest'
import { type Connected, connect, refusal } from './connect.ts'

const CHARGES = ['ch_prior1', 'ch_prior2', 'ch_prior3']

/** A Visa fraud dispute that waits for compelling evidence, and charges that nobody disputed. */
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
  it('qualifies with two earlier charges and all that is asked for', async () => {
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
  ])('says %s', async (action, transaction, priors) => {
    await using c = await connect()
    const { evidence_details } = await stage(c, await waiting(c), transaction, priors)
    expect(evidence_details.enhanced_eligibility.visa_compelling_evidence_3).toEqual({
      required_actions: [action],
      status: 'requires_action',
    })
  })

  it.each([
    ['one earlier charge', disputed, [prior('ch_prior1')]],
    ['three', disputed, CHARGES.map((id) => prior(id))],
    ['the same twice', disputed, [prior('ch_prior1'), prior('ch_prior1')]],
    ['a charge that there is not', disputed, [prior('ch_prior1'), prior('ch_none')]],
    ['no charge', disputed, [prior('ch_prior1'), customer]],
    ['a device id of 14 characters', { ...disputed, customer_device_id: 'x'.repeat(14) }, both],
    ['a fingerprint of 19', { ...disputed, customer_device_fingerprint: 'x'.repeat(19) }, both],
    ['something else than merchandise or services', { ...disputed, merchandise_or_services: 'goods' }, both],
    ['a field that there is not', { ...disputed, customer_phone: '1' }, both],
  ])('refuses %s', async (_, transaction, priors) => {
    await using c = await connect()
    const ref = await waiting(c)
    expect((await refusal(stage(c, ref, transaction, priors))).statusCode).toBe(400)
    expect((await c.stripe.disputes.retrieve(ref)).evidence.enhanced_evidence).toEqual({})
  })

  it('refuses a charge that was disputed itself, and a dispute of another kind', async () => {
    await using c = await connect()
    const ref = await waiting(c)
    const { charge } = await c.stripe.disputes.retrieve(ref)
    expect((await refusal(stage(c, ref, disputed, [prior('ch_prior1'), prior(String(charge))]))).statusCode).toBe(400)
    const [other = ''] = await c.create({ count: 1, status: 'needs_response', stage: 'chargeback', reason: '4837' })
    expect((await refusal(stage(c, other, disputed, both))).statusCode).toBe(400)
  })
})

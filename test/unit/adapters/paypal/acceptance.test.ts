import { describe, expect, test } from 'vitest'
import type { Adapter } from '../../../../adapters/contract.ts'
import { acceptabilityOf } from '../../../../adapters/paypal/accept.ts'
import { acceptanceVerdict } from '../../../../adapters/paypal/probe.ts'
import { detail, errorOf, ID, json, link, requestedEvidence, resolved, simulated, stubbed } from './paypal.ts'

const request = { reference: ID, idempotencyKey: 'k' }

/** PayPal returns one of `details` per read, the last one from then on, and `written` for the write. */
function showing(details: object[], written: () => Response) {
  let reads = 0
  return stubbed(({ method, path }) => {
    if (!path.startsWith('/v1/customer/disputes')) return undefined
    if (method === 'POST') return written()
    return json(details[Math.min(reads++, details.length - 1)])
  })
}
const accepted = () => json({ links: [] })
/** Resolved for the buyer by an adjudication with this reason. */
const adjudicated = (reason: string | undefined, code = 'RESOLVED_BUYER_FAVOUR', changes = {}) =>
  resolved(
    code,
    {},
    {
      adjudications: [
        { type: 'PAYOUT_TO_BUYER', adjudication_time: '2026-02-15T00:00:00Z', ...(reason && { reason }) },
      ],
      ...changes,
    },
  )
const sellerAgreed = (code: string, changes = {}) => adjudicated('SELLER_AGREED_REFUND_WITHOUT_RETURN', code, changes)

describe('accepting', () => {
  test('sends a full refund as JSON, with a note and no amount', async () => {
    const { adapter, apiCalls } = showing([detail(), resolved('RESOLVED_BUYER_FAVOUR')], accepted)
    expect((await adapter.acceptDispute(request)).result).toBe('applied')
    const write = apiCalls().find((call) => call.method === 'POST')
    expect(write?.path).toBe(`/v1/customer/disputes/${ID}/accept-claim`)
    expect(write?.headers.get('content-type')).toBe('application/json')
    expect(write?.headers.get('paypal-request-id')).toBe('k')
    const body = JSON.parse(write?.body.toString() ?? '')
    expect(Object.keys(body).sort()).toEqual(['accept_claim_type', 'note'])
    expect(body.accept_claim_type).toBe('REFUND')
  })

  test.each(['accept_claim', 'accept-claim'])('is possible by the link %s', (rel) =>
    expect(acceptabilityOf(detail({ links: [link(rel)] })).state).toBe('possible'),
  )

  test('is pending while PayPal has not closed the dispute', async () => {
    const { adapter } = showing([detail()], accepted)
    expect((await adapter.acceptDispute(request)).result).toBe('pending')
  })

  test('is pending if PayPal confirmed it but the dispute can’t be read back', async () => {
    let written = false
    const { adapter } = stubbed(({ method, path }) => {
      if (!path.startsWith('/v1/customer')) return undefined
      if (method === 'GET') return written ? json('down', 503) : json(detail())
      written = true
      return accepted()
    })
    expect((await adapter.acceptDispute(request)).result).toBe('pending')
  })

  test('is rejected_final before any write without the link, or if only returns are offered', async () => {
    const returns = { accept_claim: { accept_claim_types: ['REFUND_WITH_RETURN'] } }
    for (const shown of [detail({ links: [link('self')] }), detail({ allowed_response_options: returns })]) {
      const { adapter, apiCalls } = showing([shown], accepted)
      expect((await errorOf(adapter.acceptDispute(request))).kind).toBe('rejected_final')
      expect(apiCalls().every((call) => call.method === 'GET')).toBe(true)
    }
  })

  test.each([
    ['the outcome ACCEPTED', resolved('ACCEPTED')],
    ['an adjudication because the seller agreed', sellerAgreed('RESOLVED_BUYER_FAVOUR')],
    ['the same, spelled without the U', sellerAgreed('RESOLVED_BUYER_FAVOR')],
  ])('is already_applied for a dispute with %s', async (_, shown) => {
    const { adapter, apiCalls } = showing([shown], accepted)
    expect((await adapter.acceptDispute(request)).result).toBe('already_applied')
    expect(apiCalls().every((call) => call.method === 'GET')).toBe(true)
  })

  test.each([
    ['PayPal resolved for the buyer', resolved('RESOLVED_BUYER_FAVOUR')],
    ['can be appealed', { ...resolved('RESOLVED_BUYER_FAVOUR'), dispute_state: 'APPEALABLE' }],
    ['the seller did not respond to', adjudicated('NO_SELLER_RESPONSE')],
  ])('is rejected_final with a reason for a dispute that %s, and nothing is sent', async (_, shown) => {
    const { adapter, apiCalls } = showing([shown], accepted)
    expect(await errorOf(adapter.acceptDispute(request))).toMatchObject({
      kind: 'rejected_final',
      message: 'PayPal has decided the dispute for the buyer: it could no longer be accepted.',
    })
    expect(apiCalls().every((call) => call.method === 'GET')).toBe(true)
  })

  test('of a reopened dispute depends on its state, not on the outcome of its first round', () =>
    expect(acceptabilityOf(detail({ dispute_outcome: { outcome_code: 'RESOLVED_BUYER_FAVOUR' } })).state).toBe(
      'possible',
    ))

  const conflict = () => json({ name: 'UNPROCESSABLE_ENTITY', details: [{ issue: 'ACTION_NOT_ALLOWED' }] }, 422)
  test('is already_applied if PayPal refuses it because it was accepted meanwhile', async () => {
    const { adapter } = showing([detail(), sellerAgreed('RESOLVED_BUYER_FAVOUR')], conflict)
    expect((await adapter.acceptDispute(request)).result).toBe('already_applied')
  })
  test('is rejected_final with the decision if PayPal refuses it because it was lost meanwhile', async () => {
    const { adapter } = showing([detail(), resolved('RESOLVED_BUYER_FAVOUR')], conflict)
    expect(await errorOf(adapter.acceptDispute(request))).toMatchObject({
      kind: 'rejected_final',
      message: expect.stringContaining('decided the dispute for the buyer'),
    })
  })
  test('is rejected_final if PayPal refuses it because it was won meanwhile', async () => {
    const { adapter } = showing([detail(), resolved('RESOLVED_SELLER_FAVOUR')], conflict)
    expect((await errorOf(adapter.acceptDispute(request))).kind).toBe('rejected_final')
  })
  test.each([
    ['a conflict', () => json({ name: 'RESOURCE_CONFLICT' }, 409)],
    ['a body that is no JSON', () => json('<html>')],
    ['an empty body', () => json('')],
  ])('is outcome_unknown if the response is %s', async (_, written) => {
    const { adapter } = showing([detail()], written)
    expect((await errorOf(adapter.acceptDispute(request))).kind).toBe('outcome_unknown')
  })
})

/** The table "How commands end" of BEHAVIOR.md. */
describe('the outcome of an acceptance', () => {
  const reopened = sellerAgreed('RESOLVED_BUYER_FAVOUR', {
    evidences: [requestedEvidence('OTHER', { date: '2026-02-20T00:00:00Z' })],
  })
  test.each([
    ['open, the acceptance offered', detail(), 'not_done', 'not_done', 'not_done'],
    ['open, not offered', detail({ links: [] }), 'not_done', 'not_done', 'not_done'],
    ['closed without an outcome', resolved(''), 'not_done', 'not_done', 'not_done'],
    ['ACCEPTED', resolved('ACCEPTED'), 'done', 'done', 'done'],
    ['resolved for the buyer because the seller agreed', sellerAgreed('RESOLVED_BUYER_FAVOUR'), 'done', 'done', 'done'],
    ['resolved for the buyer, with a reason from the previous round', reopened, 'impossible', 'unknown', 'done'],
    ['resolved for the buyer', resolved('RESOLVED_BUYER_FAVOUR'), 'impossible', 'unknown', 'done'],
    ['resolved for the buyer, without a reason', adjudicated(undefined), 'impossible', 'unknown', 'done'],
    [
      'resolved for the buyer because the seller did not respond',
      adjudicated('NO_SELLER_RESPONSE'),
      'impossible',
      'impossible',
      'impossible',
    ],
    [
      'resolved for the buyer because the seller refused',
      adjudicated('SELLER_REFUSED_REFUND'),
      'impossible',
      'impossible',
      'impossible',
    ],
    ['RESOLVED_SELLER_FAVOUR', resolved('RESOLVED_SELLER_FAVOUR'), 'impossible', 'impossible', 'impossible'],
    ['CANCELED_BY_BUYER', resolved('CANCELED_BY_BUYER'), 'impossible', 'impossible', 'impossible'],
  ])('%s: not sent %s, maybe sent %s, accepted by PayPal %s', (_, shown, ...expected) => {
    const known = [{ sent: false }, { sent: true }, { sent: true, taken: true }]
    expect(known.map((own) => acceptanceVerdict(shown, own).answer)).toEqual(expected)
    expect(acceptanceVerdict(shown, { sent: false }).why.length).toBeGreaterThan(20)
  })

  test('is impossible if the dispute was lost before the call, and done if a person accepted it', async () => {
    await using bench = await simulated()
    const adapter = bench.connect() as Required<Adapter>
    const [lost = '', acceptedByHand = ''] = await bench.create({ count: 2, status: 'needs_response', stage: 'claim' })
    await bench.control('POST', `/disputes/${lost}/decide`, { outcome: 'lost' })
    expect(await adapter.probe({ kind: 'acceptance', reference: lost, sent: false })).toMatchObject({
      answer: 'impossible',
      why: expect.stringContaining('decided the dispute for the buyer'),
    })
    await adapter.acceptDispute({ reference: acceptedByHand, idempotencyKey: 'by-hand' })
    expect((await adapter.probe({ kind: 'acceptance', reference: acceptedByHand, sent: false })).answer).toBe('done')
  })
})

describe('an acceptance that PayPal accepted but has not processed', () => {
  const taken = detail({ dispute_state: 'UNDER_PAYPAL_REVIEW', links: [] })
  test.each([
    ['open without the link', taken],
    [
      'open for returns only',
      detail({ allowed_response_options: { accept_claim: { accept_claim_types: ['REFUND_WITH_RETURN'] } } }),
    ],
    ['closed without an outcome', resolved('')],
  ])('%s: the probe does not return impossible, and nothing is sent', async (_, shown) => {
    expect(acceptanceVerdict(shown, { sent: true, taken: true }).answer).toBe('not_done')
    const { adapter, apiCalls } = showing([shown], accepted)
    expect((await errorOf(adapter.acceptDispute(request))).kind).toBe('rejected_final')
    expect(apiCalls().every((call) => call.method === 'GET')).toBe(true)
  })

  test('is pending until PayPal closes the dispute', async () => {
    const { adapter } = showing([detail(), taken, taken, resolved('RESOLVED_BUYER_FAVOUR')], accepted)
    expect((await adapter.acceptDispute(request)).result).toBe('pending')
    const question = { kind: 'acceptance', reference: ID, sent: true, taken: true } as const
    const probe = async () => (await adapter.probe(question)).answer
    expect([await probe(), await probe()]).toEqual(['not_done', 'done'])
  })
})

describe('an acceptance of a reopened dispute', () => {
  test('is sent although the dispute was accepted before', async () => {
    await using bench = await simulated()
    const adapter = bench.connect() as Required<Adapter>
    const [reference = ''] = await bench.create({ count: 1, status: 'needs_response', stage: 'claim' })
    await adapter.acceptDispute({ reference, idempotencyKey: 'first' })
    await bench.control('POST', `/disputes/${reference}/decide`, { outcome: 'reopened' })
    expect((await adapter.acceptDispute({ reference, idempotencyKey: 'second' })).result).toBe('applied')
    expect(bench.effects('acceptance', reference).map((effect) => effect.idempotencyKey)).toEqual(['first', 'second'])
  })
})

import { describe, expect, test } from 'vitest'
import type { Adapter } from '../../../../adapters/contract.ts'
import { acceptabilityOf } from '../../../../adapters/paypal/accept.ts'
import { acceptanceVerdict } from '../../../../adapters/paypal/probe.ts'
import { asked, detail, errorOf, ID, json, link, resolved, simulated, stubbed } from './paypal.ts'

const request = { reference: ID, idempotencyKey: 'k' }

/** PayPal shows `details` one after the other, the last one for good, and answers the write with `written`. */
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
const conceded = (code: string, changes = {}) => adjudicated('SELLER_AGREED_REFUND_WITHOUT_RETURN', code, changes)

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

  test('is pending when it was answered and can’t be read back', async () => {
    let written = false
    const { adapter } = stubbed(({ method, path }) => {
      if (!path.startsWith('/v1/customer')) return undefined
      if (method === 'GET') return written ? json('down', 503) : json(detail())
      written = true
      return accepted()
    })
    expect((await adapter.acceptDispute(request)).result).toBe('pending')
  })

  test('without the link, or with returns only, is rejected_final before any write', async () => {
    const returns = { accept_claim: { accept_claim_types: ['REFUND_WITH_RETURN'] } }
    for (const shown of [detail({ links: [link('self')] }), detail({ allowed_response_options: returns })]) {
      const { adapter, apiCalls } = showing([shown], accepted)
      expect((await errorOf(adapter.acceptDispute(request))).kind).toBe('rejected_final')
      expect(apiCalls().every((call) => call.method === 'GET')).toBe(true)
    }
  })

  test.each([
    ['the outcome ACCEPTED', resolved('ACCEPTED')],
    ['an adjudication by the seller’s agreement', conceded('RESOLVED_BUYER_FAVOUR')],
    ['the same without the U', conceded('RESOLVED_BUYER_FAVOR')],
  ])('of a dispute with %s is already done', async (_, shown) => {
    const { adapter, apiCalls } = showing([shown], accepted)
    expect((await adapter.acceptDispute(request)).result).toBe('already_applied')
    expect(apiCalls().every((call) => call.method === 'GET')).toBe(true)
  })

  test.each([
    ['that PayPal resolved for the buyer', resolved('RESOLVED_BUYER_FAVOUR')],
    ['that can be appealed', { ...resolved('RESOLVED_BUYER_FAVOUR'), dispute_state: 'APPEALABLE' }],
    ['that the seller left unanswered', adjudicated('NO_SELLER_RESPONSE')],
  ])('of a dispute %s before is rejected_final with a sentence, and nothing is sent', async (_, shown) => {
    const { adapter, apiCalls } = showing([shown], accepted)
    expect(await errorOf(adapter.acceptDispute(request))).toMatchObject({
      kind: 'rejected_final',
      message: 'PayPal has decided the dispute for the buyer: it could no longer be accepted.',
    })
    expect(apiCalls().every((call) => call.method === 'GET')).toBe(true)
  })

  test('of a reopened dispute looks at its state, not at the outcome of its first round', () =>
    expect(acceptabilityOf(detail({ dispute_outcome: { outcome_code: 'RESOLVED_BUYER_FAVOUR' } })).state).toBe(
      'possible',
    ))

  const conflict = () => json({ name: 'UNPROCESSABLE_ENTITY', details: [{ issue: 'ACTION_NOT_ALLOWED' }] }, 422)
  test('refused because it was accepted meanwhile is already_applied', async () => {
    const { adapter } = showing([detail(), conceded('RESOLVED_BUYER_FAVOUR')], conflict)
    expect((await adapter.acceptDispute(request)).result).toBe('already_applied')
  })
  test('refused because it was lost meanwhile is rejected_final, with the decision as its reason', async () => {
    const { adapter } = showing([detail(), resolved('RESOLVED_BUYER_FAVOUR')], conflict)
    expect(await errorOf(adapter.acceptDispute(request))).toMatchObject({
      kind: 'rejected_final',
      message: expect.stringContaining('decided the dispute for the buyer'),
    })
  })
  test('refused because it was decided meanwhile is rejected_final', async () => {
    const { adapter } = showing([detail(), resolved('RESOLVED_SELLER_FAVOUR')], conflict)
    expect((await errorOf(adapter.acceptDispute(request))).kind).toBe('rejected_final')
  })
  test.each([
    ['a conflict', () => json({ name: 'RESOURCE_CONFLICT' }, 409)],
    ['a body that is no JSON', () => json('<html>')],
    ['an empty body', () => json('')],
  ])('answered with %s is outcome_unknown', async (_, written) => {
    const { adapter } = showing([detail()], written)
    expect((await errorOf(adapter.acceptDispute(request))).kind).toBe('outcome_unknown')
  })
})

/** The table "How a command ends" of BEHAVIOR.md. */
describe('the end of an acceptance', () => {
  const reopened = conceded('RESOLVED_BUYER_FAVOUR', { evidences: [asked('OTHER', { date: '2026-02-20T00:00:00Z' })] })
  test.each([
    ['open, the acceptance offered', detail(), 'not_done', 'not_done', 'not_done'],
    ['open, not offered', detail({ links: [] }), 'not_done', 'not_done', 'not_done'],
    ['closed without a word of how', resolved(''), 'not_done', 'not_done', 'not_done'],
    ['ACCEPTED', resolved('ACCEPTED'), 'done', 'done', 'done'],
    ['resolved for the buyer as the seller agreed', conceded('RESOLVED_BUYER_FAVOUR'), 'done', 'done', 'done'],
    ['resolved for the buyer, by a reason of a round before', reopened, 'impossible', 'unknown', 'done'],
    ['resolved for the buyer', resolved('RESOLVED_BUYER_FAVOUR'), 'impossible', 'unknown', 'done'],
    ['resolved for the buyer, no reason given', adjudicated(undefined), 'impossible', 'unknown', 'done'],
    [
      'resolved for the buyer as the seller said nothing',
      adjudicated('NO_SELLER_RESPONSE'),
      'impossible',
      'impossible',
      'impossible',
    ],
    [
      'resolved for the buyer as the seller refused',
      adjudicated('SELLER_REFUSED_REFUND'),
      'impossible',
      'impossible',
      'impossible',
    ],
    ['RESOLVED_SELLER_FAVOUR', resolved('RESOLVED_SELLER_FAVOUR'), 'impossible', 'impossible', 'impossible'],
    ['CANCELED_BY_BUYER', resolved('CANCELED_BY_BUYER'), 'impossible', 'impossible', 'impossible'],
  ])('%s: not sent %s, maybe sent %s, taken %s', (_, shown, ...expected) => {
    const known = [{ sent: false }, { sent: true }, { sent: true, taken: true }]
    expect(known.map((own) => acceptanceVerdict(shown, own).answer)).toEqual(expected)
    expect(acceptanceVerdict(shown, { sent: false }).why.length).toBeGreaterThan(20)
  })

  test('lost at the simulated PayPal before it is sent, is impossible with a sentence; accepted by hand, it is done', async () => {
    await using bench = await simulated()
    const adapter = bench.connect() as Required<Adapter>
    const [lost = '', given = ''] = await bench.create({ count: 2, status: 'needs_response', stage: 'claim' })
    await bench.control('POST', `/disputes/${lost}/decide`, { outcome: 'lost' })
    expect(await adapter.probe({ kind: 'acceptance', reference: lost, sent: false })).toMatchObject({
      answer: 'impossible',
      why: expect.stringContaining('decided the dispute for the buyer'),
    })
    await adapter.acceptDispute({ reference: given, idempotencyKey: 'by-hand' })
    expect((await adapter.probe({ kind: 'acceptance', reference: given, sent: false })).answer).toBe('done')
  })
})

describe('an acceptance that PayPal took and has not worked off', () => {
  const taken = detail({ dispute_state: 'UNDER_PAYPAL_REVIEW', links: [] })
  test.each([
    ['open without the link', taken],
    [
      'for returns only',
      detail({ allowed_response_options: { accept_claim: { accept_claim_types: ['REFUND_WITH_RETURN'] } } }),
    ],
    ['closed without a word of how', resolved('')],
  ])('%s: the probe does not call it impossible, and nothing is sent', async (_, shown) => {
    expect(acceptanceVerdict(shown, { sent: true, taken: true }).answer).toBe('not_done')
    const { adapter, apiCalls } = showing([shown], accepted)
    expect((await errorOf(adapter.acceptDispute(request))).kind).toBe('rejected_final')
    expect(apiCalls().every((call) => call.method === 'GET')).toBe(true)
  })

  test('is pending until PayPal closes the dispute', async () => {
    const { adapter } = showing([detail(), taken, taken, resolved('RESOLVED_BUYER_FAVOUR')], accepted)
    expect((await adapter.acceptDispute(request)).result).toBe('pending')
    const question = { kind: 'acceptance', reference: ID, sent: true, taken: true } as const
    const ask = async () => (await adapter.probe(question)).answer
    expect([await ask(), await ask()]).toEqual(['not_done', 'done'])
  })
})

describe('a second acceptance of a reopened dispute', () => {
  test('is another one', async () => {
    await using bench = await simulated()
    const adapter = bench.connect() as Required<Adapter>
    const [reference = ''] = await bench.create({ count: 1, status: 'needs_response', stage: 'claim' })
    await adapter.acceptDispute({ reference, idempotencyKey: 'first' })
    await bench.control('POST', `/disputes/${reference}/decide`, { outcome: 'reopened' })
    expect((await adapter.acceptDispute({ reference, idempotencyKey: 'second' })).result).toBe('applied')
    expect(bench.effects('acceptance', reference).map((effect) => effect.idempotencyKey)).toEqual(['first', 'second'])
  })
})

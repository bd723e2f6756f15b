import { describe, expect, test } from 'vitest'
import { toChargeback } from '../../../../adapters/stripe/translate.ts'
import type { ChargebackFacts } from '../../../../domain/chargeback.ts'
import { minorToDecimal } from '../../../../domain/money.ts'
import { sampleDispute } from '../loopback.ts'

const translate = (dispute: unknown) => toChargeback({ reference: 'dp_sample1', text: JSON.stringify(dispute) })

function facts(changes: Record<string, unknown> = {}): ChargebackFacts {
  const translation = translate(sampleDispute(changes))
  if (translation.kind === 'unmappable') throw new Error(translation.reason)
  return translation.facts
}
function anomalies(changes: Record<string, unknown>): string[] {
  const translation = translate(sampleDispute(changes))
  if (translation.kind === 'unmappable') throw new Error(translation.reason)
  return translation.anomalies
}
const details = (changes: Record<string, unknown>) => ({
  evidence_details: { ...(sampleDispute().evidence_details as object), ...changes },
})
const card = (changes: Record<string, unknown>) => ({
  payment_method_details: {
    type: 'card',
    card: { brand: 'visa', network: 'visa', case_type: 'chargeback', ...changes },
  },
})

describe('a dispute of Stripe as a chargeback', () => {
  test('the facts of a card dispute', () => {
    expect(facts()).toMatchObject({
      chargebackId: 'dp_sample1',
      psp: 'stripe',
      currency: 'USD',
      amountMinor: 1099n,
      amountExponent: 2,
      postingDate: '2026-09-21T14:13:20.000Z',
      dueDate: '2026-10-03T04:00:00.000Z',
      pspStatus: 'needs_response',
      lifecycleStage: 'chargeback',
      transactionId: 'ch_sample1',
      externalTransactionIdentifier: 'pi_sample1',
      reasonCode: '10.4',
      reason: 'fraudulent',
      cardScheme: 'visa',
      paymentMethod: 'card',
      transactionCreatedDate: null,
    })
  })

  test('an expanded charge adds its facts, except the amount', () => {
    const charge = {
      id: 'ch_9',
      object: 'charge',
      amount: 99_999,
      created: 1_789_000_000,
      metadata: { order_id: 'order-7' },
      billing_details: { address: { country: 'DE' } },
      payment_method_details: {
        type: 'card',
        card: { last4: '4242', funding: 'credit', network: 'visa', wallet: { type: 'apple_pay' } },
      },
    }
    expect(facts({ charge })).toMatchObject({
      amountMinor: 1099n,
      transactionId: 'ch_9',
      transactionCreatedDate: '2026-09-10T00:26:40.000Z',
      externalTransactionIdentifier: 'order-7',
      billingCountry: 'DE',
      cardLastFourDigits: '4242',
      paymentMethod: 'apple_pay',
      bin: null,
    })
  })

  test.each([
    ['needs_response', 'needs_response', 'chargeback'],
    ['warning_needs_response', 'needs_response', 'inquiry'],
    ['appeal_needs_response', 'needs_response', 'second_chargeback'],
    ['under_review', 'under_review', 'chargeback'],
    ['warning_under_review', 'under_review', 'inquiry'],
    ['appeal_under_review', 'under_review', 'second_chargeback'],
    ['warning_closed', 'not_applicable', 'inquiry'],
    ['won', 'won', 'chargeback'],
    ['lost', 'lost', 'chargeback'],
    ['prevented', 'not_applicable', 'alert'],
  ])('status %s is %s at stage %s', (status, pspStatus, lifecycleStage) => {
    expect(facts({ status })).toMatchObject({ pspStatus, lifecycleStage })
    expect(anomalies({ status })).toEqual([])
  })

  test('a new status of Stripe is unknown, with an anomaly', () => {
    expect(facts({ status: 'arbitration_pending' }).pspStatus).toBe('unknown')
    expect(anomalies({ status: 'arbitration_pending' })).toEqual(['unknown status arbitration_pending'])
  })

  test.each([
    ['block', 'alert'],
    ['resolution', 'alert'],
    // The status is needs_response; an inquiry has warning_needs_response.
    ['inquiry', 'chargeback'],
    ['compliance', 'other'],
    ['chargeback', 'chargeback'],
    ['a_new_one', 'chargeback'],
  ])('case type %s is stage %s', (case_type, stage) => expect(facts(card({ case_type })).lifecycleStage).toBe(stage))

  test('an unknown case type is an anomaly', () =>
    expect(anomalies(card({ case_type: 'a_new_one' }))).toEqual(['unknown case_type a_new_one']))

  test('the status takes precedence over the case type', () =>
    expect(facts({ ...card({ case_type: 'chargeback' }), status: 'warning_needs_response' }).lifecycleStage).toBe(
      'inquiry',
    ))

  test('a decided dispute with an appeal in its evidence is a second chargeback', () =>
    expect(facts({ status: 'lost', evidence: { appeal: { card: {} } } }).lifecycleStage).toBe('second_chargeback'))

  test('an Amazon Pay claim is a claim', () =>
    expect(
      facts({ payment_method_details: { type: 'amazon_pay', amazon_pay: { dispute_type: 'claim' } } }),
    ).toMatchObject({
      lifecycleStage: 'claim',
      paymentMethod: 'amazon_pay',
      cardScheme: null,
      reasonCode: 'fraudulent',
    }))

  test('a lost dispute with evidence that was only staged is evidence_not_submitted_by_psp', () => {
    expect(facts({ status: 'lost', ...details({ has_evidence: true }) }).pspStatus).toBe(
      'evidence_not_submitted_by_psp',
    )
    expect(facts({ status: 'lost', ...details({ has_evidence: true, submission_count: 1 }) }).pspStatus).toBe('lost')
    expect(facts({ status: 'lost' }).pspStatus).toBe('lost')
  })

  test('evidence after the due date is an anomaly: its delivery is not guaranteed', () =>
    expect(anomalies(details({ past_due: true, submission_count: 1 }))[0]).toMatch('delivery is not guaranteed'))

  test('reinstated funds never change the outcome', () =>
    expect(facts({ status: 'lost', balance_transactions: [{ amount: -1099 }, { amount: 1099 }] }).pspStatus).toBe(
      'lost',
    ))

  test.each([0, null, undefined])('due_by %s means that there is no due date', (due_by) =>
    expect(facts(details({ due_by })).dueDate).toBeNull(),
  )

  test.each([
    [{ network: 'cartes_bancaires', brand: 'visa' }, 'cartes_bancaires'],
    [{ network: undefined, brand: 'mastercard' }, 'mastercard'],
    [{ network: 'eftpos_au' }, 'other'],
    [{ network: 'unknown', brand: 'unknown' }, null],
  ])('card %o is scheme %s', (changes, scheme) => expect(facts(card(changes)).cardScheme).toBe(scheme))

  test('the reason code is the network’s, else the payment method’s, else the reason', () => {
    expect(facts(card({ network_reason_code: '13.1' })).reasonCode).toBe('13.1')
    // Every PSP's spelling becomes the same code, so that one scope rule matches all.
    expect(facts(card({ network: 'visa', network_reason_code: 'V1310' })).reasonCode).toBe('13.1')
    expect(facts({ ...card({}), network_reason_code: '4853' }).reasonCode).toBe('4853')
    const klarna = { payment_method_details: { type: 'klarna', klarna: { reason_code: 'goods_not_received' } } }
    expect(facts(klarna).reasonCode).toBe('goods_not_received')
    expect(facts({ payment_method_details: null }).reasonCode).toBe('fraudulent')
  })
})

describe('amounts', () => {
  test.each([
    [1099, 'usd', '10.99'],
    [500, 'jpy', '500'],
    [500, 'isk', '5'],
    [500, 'ugx', '5'],
    [5120, 'kwd', '5.12'],
    [1234, 'huf', '12.34'],
    [500, 'mga', '500'],
    [9_007_199_254_740_991, 'usd', '90071992547409.91'],
  ])('%i %s is %s', (amount, currency, expected) => {
    const { amountMinor, amountExponent } = facts({ amount, currency })
    expect(minorToDecimal(amountMinor, amountExponent)).toBe(expected)
  })

  test.each(['BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ')].flat())(
    '%s has no minor unit',
    (currency) => expect(facts({ currency: currency.toLowerCase() }).amountExponent).toBe(0),
  )
  test.each(['BHD', 'JOD', 'KWD', 'OMR', 'TND'])('%s has three digits', (currency) =>
    expect(facts({ currency }).amountExponent).toBe(3),
  )
  test('std, which is no longer in ISO 4217, is no currency', () =>
    expect(translate(sampleDispute({ currency: 'std' }))).toMatchObject({ kind: 'unmappable' }))
})

describe('an invalid dispute', () => {
  test.each([
    ['an amount in words', { amount: '12x' }, 'amount'],
    ['an amount with a fraction', { amount: 10.5 }, 'amount'],
    ['an amount of 1e30', { amount: 1e30 }, 'amount'],
    ['an amount that is no safe integer', { amount: 2 ** 53 }, 'amount'],
    ['a negative amount', { amount: -1 }, 'amount'],
    ['no amount', { amount: null }, 'amount'],
    ['an unknown currency', { currency: 'zzz' }, 'currency'],
    ['no id', { id: null }, 'id'],
    ['an id that is a number', { id: 7 }, 'id'],
    ['NUL in the id', { id: 'dp_\u0000' }, 'id'],
    ['NUL in the reason', { reason: 'a\u0000b' }, 'reason'],
    ['a lone surrogate in the reason', { reason: '\ud800' }, 'reason'],
    ['no status', { status: undefined }, 'status'],
    ['a status that is an object', { status: {} }, 'status'],
    ['milliseconds for seconds', { created: 1_790_000_000_000 }, 'created'],
    ['a creation time in words', { created: 'yesterday' }, 'created'],
    ['no creation time', { created: undefined }, 'created'],
    ['a due date outside of every calendar', details({ due_by: 1e15 }), 'due_by'],
    ['no evidence_details', { evidence_details: undefined }, 'evidence_details'],
    ['another kind of object', { object: 'charge' }, 'object'],
    ['a reason of a megabyte', { reason: 'x'.repeat(1_000_000) }, 'reason'],
  ])('%s: unmappable, and the reason names the field', (_, changes, field) => {
    const translation = translate(sampleDispute(changes))
    expect(translation).toMatchObject({ kind: 'unmappable', reference: 'dp_sample1' })
    expect(translation.kind === 'unmappable' && translation.reason).toMatch(field)
  })

  test.each(['"text"', '[]', 'null', '7', '{', ''])('%s instead of an object is unmappable', (text) =>
    expect(toChargeback({ reference: null, text })).toMatchObject({ kind: 'unmappable', reference: null }),
  )

  test('an invalid character in a field that Recoup does not use is tolerated', () =>
    expect(translate(sampleDispute({ evidence: { uncategorized_text: 'a\u0000b \ud800' } })).kind).toBe('chargeback'))

  test('two megabytes and ten thousand levels are tolerated', () => {
    const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`
    const big = JSON.stringify(sampleDispute({ metadata: { big: 'x'.repeat(2_000_000) } }))
    const text = `${big.slice(0, -1)},"deep":${deep}}`
    expect(toChargeback({ reference: 'dp_sample1', text }).kind).toBe('chargeback')
  })

  test('a missing charge is only an anomaly, because the due date applies anyway', () => {
    expect(anomalies({ charge: null })).toEqual(['charge is missing'])
    expect(facts({ charge: null }).transactionId).toBeNull()
  })
})

import { describe, expect, test } from 'vitest'
import { toChargeback } from '../../../../adapters/paypal/translate.ts'
import { detail, ID, link, resolved } from './paypal.ts'

function read(object: unknown) {
  return toChargeback({ reference: ID, text: JSON.stringify(object) })
}
function facts(object: unknown) {
  const translation = read(object)
  if (translation.kind === 'unmappable') throw new Error(translation.reason)
  return translation.facts
}
function anomalies(object: unknown) {
  const translation = read(object)
  return translation.kind === 'chargeback' ? translation.anomalies : []
}

test('the facts of a dispute', () => {
  expect(facts(detail({ external_reason_code: '10.4' }))).toEqual({
    chargebackId: ID,
    psp: 'paypal',
    currency: 'USD',
    amountMinor: 9250n,
    amountExponent: 2,
    postingDate: '2026-02-01T10:00:00.000Z',
    transactionCreatedDate: '2026-01-20T08:00:00.000Z',
    dueDate: '2026-03-10T10:00:00.000Z',
    pspStatus: 'needs_response',
    furtherAnswer: null,
    pspStatusChangeDate: '2026-02-02T10:00:00.123Z',
    lifecycleStage: 'chargeback',
    transactionId: '3BC38643YC807283D',
    arn: null,
    externalTransactionIdentifier: '7BC38643YC807283D',
    merchantReferenceName: 'MERCHANT1',
    reasonCode: '10.4',
    reason: 'UNAUTHORISED',
    cardScheme: null,
    paymentMethod: null,
    bin: null,
    cardLastFourDigits: null,
    billingCountry: null,
    pspSequence: BigInt(Date.parse('2026-02-02T10:00:00.123Z')),
  })
  expect(anomalies(detail())).toEqual([])
})

describe('the status', () => {
  const usd = (value: string) => ({ currency_code: 'USD', value })
  test.each([
    ['RESOLVED_SELLER_FAVOUR', 'won'],
    ['RESOLVED_SELLER_FAVOR', 'won'],
    ['RESOLVED_BUYER_FAVOUR', 'lost'],
    ['RESOLVED_BUYER_FAVOR', 'lost'],
    ['RESOLVED_WITH_PAYOUT', 'won'],
    ['CANCELED_BY_BUYER', 'won'],
    ['ACCEPTED', 'lost'],
    ['DENIED', 'won'],
    ['NONE', 'not_applicable'],
    ['SOMETHING_NEW', 'unknown'],
  ])('of the outcome %s is %s', (code, status) => expect(facts(resolved(code)).pspStatus).toBe(status))

  test.each([
    [usd('92.50'), 'lost'],
    [usd('40.00'), 'split'],
    [usd('0.00'), 'lost'],
    [{ currency_code: 'EUR', value: '40.00' }, 'lost'],
  ])('of an outcome for the buyer with %j refunded is %s', (amount_refunded, status) =>
    expect(facts(resolved('RESOLVED_BUYER_FAVOR', { amount_refunded })).pspStatus).toBe(status),
  )

  const debit = (value: string, reason = 'DISPUTE_SETTLEMENT', type = 'DEBIT') => ({
    affected_party: 'SELLER',
    type,
    reason,
    amount: usd(value),
  })
  test.each([
    ['no debit', [], 'won'],
    ['a fee', [debit('20.00', 'CHARGEBACK_FEE')], 'won'],
    ['a debit of the buyer', [{ ...debit('92.50'), affected_party: 'BUYER' }], 'won'],
    ['a partial debit of the seller', [debit('30.00')], 'split'],
    ['a full debit of the seller', [debit('92.50')], 'lost'],
    ['a full debit that was credited back', [debit('92.50'), debit('92.50', 'DISPUTE_SETTLEMENT', 'CREDIT')], 'won'],
  ])('of a payout with %s', (_, money_movements, status) =>
    expect(facts(resolved('RESOLVED_WITH_PAYOUT', {}, { money_movements })).pspStatus).toBe(status),
  )

  test.each([
    ['REQUIRED_ACTION', 'needs_response'],
    ['REQUIRED_OTHER_PARTY_ACTION', 'under_review'],
    ['UNDER_PAYPAL_REVIEW', 'under_review'],
    ['APPEALABLE', 'lost'],
  ])('of the state %s is %s, whatever the status says', (dispute_state, status) =>
    expect(facts(detail({ dispute_state, status: 'OTHER' })).pspStatus).toBe(status),
  )

  test.each(['OPEN_INQUIRIES', undefined])(
    'of an open inquiry is needs_response only with a link or due date (%s)',
    (dispute_state) => {
      const open = { status: 'OPEN', dispute_state, seller_response_due_date: undefined, links: [] }
      expect(facts(detail(open)).pspStatus).toBe('under_review')
      expect(facts(detail({ ...open, links: [link('accept-claim')] })).pspStatus).toBe('needs_response')
      expect(facts(detail({ ...open, seller_response_due_date: '2026-03-10T10:00:00Z' })).pspStatus).toBe(
        'needs_response',
      )
      expect(facts(detail({ ...open, links: [{ rel: 'self', href: 'x' }] })).pspStatus).toBe('under_review')
    },
  )

  test.each([
    ['WAITING_FOR_SELLER_RESPONSE', 'needs_response'],
    ['WAITING_FOR_BUYER_RESPONSE', 'under_review'],
    ['UNDER_REVIEW', 'under_review'],
    ['OTHER', 'unknown'],
  ])('of %s without a state is %s', (status, expected) =>
    expect(facts(detail({ status, dispute_state: undefined })).pspStatus).toBe(expected),
  )

  test.each([
    ['WON', 'won'],
    ['LOST', 'lost'],
    [undefined, 'unknown'],
  ])('of a resolved dispute without a code is derived from outcome %s', (outcome, status) =>
    expect(facts(detail({ status: 'RESOLVED', dispute_state: 'RESOLVED', outcome })).pspStatus).toBe(status),
  )

  test.each([{ status: 'RESOLVED', dispute_state: undefined }, { status: 'OTHER' }])(
    'follows the outcome if either field says resolved (%j)',
    (words) => expect(facts(resolved('RESOLVED_SELLER_FAVOUR', {}, words)).pspStatus).toBe('won'),
  )

  test('of a reopened dispute is needs_response, although the old outcome is still there', () =>
    expect(facts(detail({ dispute_outcome: { outcome_code: 'RESOLVED_SELLER_FAVOUR' } })).pspStatus).toBe(
      'needs_response',
    ))
})

describe('a further response', () => {
  const lost = (rel: string) => resolved('RESOLVED_BUYER_FAVOUR', {}, { links: [link(rel)] })
  const reviewed = (rel: string) => detail({ status: 'UNDER_REVIEW', dispute_state: undefined, links: [link(rel)] })
  test.each([
    ['an appeal of a lost dispute', lost('appeal'), 'appeal'],
    ['information while PayPal reviews', reviewed('provide_supporting_info'), 'supporting_info'],
    ['information, in PayPal’s other spelling', reviewed('provide-supporting-info'), 'supporting_info'],
    ['no link for it', lost('accept_claim'), null],
    ['information while PayPal waits for a response', detail({ links: [link('provide_supporting_info')] }), null],
  ])('%s', (_, dispute, answer) => expect(facts(dispute).furtherAnswer).toBe(answer))
})

describe('the stage', () => {
  test.each([
    ['INQUIRY', 'INTERNAL', 'inquiry'],
    ['CHARGEBACK', 'INTERNAL', 'claim'],
    ['CHARGEBACK', 'EXTERNAL', 'chargeback'],
    ['PRE_ARBITRATION', 'EXTERNAL', 'second_chargeback'],
    ['ARBITRATION', 'EXTERNAL', 'third_chargeback'],
    ['INQUIRY', 'ALERT', 'alert'],
    ['CHARGEBACK', undefined, 'other'],
    ['SOMETHING_NEW', 'EXTERNAL', 'other'],
  ])('%s by %s is %s', (dispute_life_cycle_stage, dispute_channel, stage) =>
    expect(facts(detail({ dispute_life_cycle_stage, dispute_channel })).lifecycleStage).toBe(stage),
  )
})

test('every reason of PayPal’s is known, in its British spelling', () => {
  const reasons = `MERCHANDISE_OR_SERVICE_NOT_RECEIVED MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED UNAUTHORISED
    CREDIT_NOT_PROCESSED DUPLICATE_TRANSACTION INCORRECT_AMOUNT PAYMENT_BY_OTHER_MEANS CANCELED_RECURRING_BILLING
    PROBLEM_WITH_REMITTANCE OTHER`
  for (const reason of reasons.split(/\s+/)) {
    expect([reason, ...anomalies(detail({ reason }))]).toEqual([reason])
    // Without a code of the card network PayPal's reason is the code.
    expect(facts(detail({ reason })).reasonCode).toBe(reason)
  }
})

test('the merchant’s own identifier is the first field that has a value', () => {
  const [first] = detail().disputed_transactions as object[]
  const named = (names: object) =>
    facts(detail({ disputed_transactions: [{ ...first, ...names }] })).externalTransactionIdentifier
  expect(named({ invoice_number: 'I', custom: 'C', reference_id: 'R' })).toBe('I')
  expect(named({ custom: 'C', reference_id: 'R' })).toBe('C')
  expect(named({ reference_id: 'R' })).toBe('R')
  expect(named({})).toBe('7BC38643YC807283D')
})

describe('amounts', () => {
  test.each([
    ['JPY', '500', 500n, 0],
    ['JPY', '500.00', 500n, 0],
    ['TND', '12.345', 12_345n, 3],
    ['USD', '0.01', 1n, 2],
    ['EUR', '9007199254740993.01', 900_719_925_474_099_301n, 2],
  ])('%s %s is exact', (currency_code, value, minor, exponent) => {
    const { amountMinor, amountExponent } = facts(detail({ dispute_amount: { currency_code, value } }))
    expect([amountMinor, amountExponent]).toEqual([minor, exponent])
  })
})

describe('values that PayPal may add or leave out', () => {
  test('are an anomaly', () => {
    expect(anomalies(detail({ status: 'NEW_WORD', dispute_state: 'NEW_STATE', reason: 'NEW_REASON' }))).toEqual([
      'unknown status NEW_WORD',
      'unknown dispute_state NEW_STATE',
      'unknown reason NEW_REASON',
    ])
    const [first] = detail().disputed_transactions as object[]
    expect(anomalies(detail({ disputed_transactions: [first, first] }))).toEqual([
      'the first of 2 transactions is shown',
    ])
    expect(anomalies(detail({ disputed_transactions: undefined }))).toEqual(['disputed_transactions is missing'])
  })
  test('fields that the specification does not have yet are ignored', () => {
    const newer = {
      seller_protection_eligible: true,
      regulation_info: { regulation: 'REG_E' },
      fee_policy: { transaction_fee: {} },
      a_field_of_next_year: [{}],
    }
    expect(facts(detail(newer))).toEqual(facts(detail()))
    expect(anomalies(detail(newer))).toEqual([])
  })
  test('real invoice numbers are accepted although they break PayPal’s own pattern', () => {
    const [first] = detail().disputed_transactions as object[]
    const invoiced = detail({ disputed_transactions: [{ ...first, invoice_number: 'Rechnung 7/ä', custom: 'c' }] })
    expect(facts(invoiced).externalTransactionIdentifier).toBe('Rechnung 7/ä')
  })
  test.each([
    ['a crypto asset', { dispute_amount: undefined, dispute_asset: { asset_symbol: 'BTC' } }, 'crypto asset'],
    ['an amount as a number', { dispute_amount: { currency_code: 'USD', value: 10.995 } }, 'not a string'],
    ['a fraction of a cent', { dispute_amount: { currency_code: 'USD', value: '10.995' } }, 'fraction'],
    ['a negative amount', { dispute_amount: { currency_code: 'USD', value: '-1.00' } }, 'not a decimal'],
    ['an unknown currency', { dispute_amount: { currency_code: 'XBT', value: '1' } }, 'unknown'],
    ['an impossible date', { create_time: '2026-02-30T00:00:00Z' }, 'create_time is not a time'],
    ['a date instead of a time', { create_time: '2026-02-01' }, 'create_time is not a time'],
    ['no id', { dispute_id: undefined }, 'dispute_id is missing'],
    ['no status', { status: undefined }, 'status is missing'],
  ])('%s is unmappable, and the reason names the field without its value', (_, changes, reason) => {
    const translation = read(detail(changes))
    expect(translation).toMatchObject({ kind: 'unmappable' })
    expect(translation.kind === 'unmappable' && translation.reason).toContain(reason)
  })
})

import { describe, expect, test } from 'vitest'
import { toChargeback } from '../../../../adapters/stripe/translate.ts'
import { sampleDispute } from '../loopback.ts'

function translated(changes: Record<string, unknown>) {
  const translation = toChargeback({ reference: 'dp_sample1', text: JSON.stringify(sampleDispute(changes)) })
  if (translation.kind === 'unmappable') throw new Error(translation.reason)
  return translation
}
const facts = (changes: Record<string, unknown>) => translated(changes).facts
const card = (changes: Record<string, unknown>) => ({
  payment_method_details: {
    type: 'card',
    card: { brand: 'visa', network: 'visa', case_type: 'chargeback', ...changes },
  },
})

describe('precedence of the stages', () => {
  const amazon = { payment_method_details: { type: 'amazon_pay', amazon_pay: { dispute_type: 'claim' } } }
  const appealed = { evidence: { appeal: { card: {} } } }
  const amazonChargeback = { payment_method_details: { amazon_pay: { dispute_type: 'chargeback' } } }
  test.each([
    ['prevented before inquiry', { status: 'prevented', ...card({ case_type: 'inquiry' }) }, 'alert'],
    ['resolution before inquiry', { status: 'warning_closed', ...card({ case_type: 'resolution' }) }, 'alert'],
    ['inquiry before appeal', { status: 'warning_closed', ...appealed }, 'inquiry'],
    ['inquiry by its case type', { status: 'lost', ...card({ case_type: 'inquiry' }), ...appealed }, 'inquiry'],
    ['an escalated inquiry that keeps its case type', card({ case_type: 'inquiry' }), 'chargeback'],
    ['an escalated inquiry under review', { status: 'under_review', ...card({ case_type: 'inquiry' }) }, 'chargeback'],
    ['an escalated inquiry that was won', { status: 'won', ...card({ case_type: 'inquiry' }) }, 'chargeback'],
    [
      'an appeal of an escalated inquiry',
      { status: 'appeal_needs_response', ...card({ case_type: 'inquiry' }) },
      'second_chargeback',
    ],
    ['appeal before claim', { ...amazon, ...appealed }, 'second_chargeback'],
    [
      'appeal before compliance',
      { status: 'appeal_under_review', ...card({ case_type: 'compliance' }) },
      'second_chargeback',
    ],
    ['compliance before chargeback', card({ case_type: 'compliance' }), 'other'],
    ['an Amazon Pay chargeback', amazonChargeback, 'chargeback'],
    ['no details at all', { payment_method_details: null, evidence: null }, 'chargeback'],
  ])('%s', (_, changes, stage) => expect(facts(changes).lifecycleStage).toBe(stage))
})

describe('values of Stripe', () => {
  test.each(['amex', 'diners', 'discover', 'jcb', 'mastercard', 'unionpay', 'visa'])(
    'network %s is the card scheme',
    (network) => expect(facts(card({ network })).cardScheme).toBe(network),
  )

  test('a network without its own value is `other`', () =>
    expect(facts(card({ network: 'link' })).cardScheme).toBe('other'))

  test('the scheme is taken from the charge if the dispute names none', () => {
    const charge = (of: object) => ({ charge: { id: 'ch_9', payment_method_details: { type: 'card', card: of } } })
    const none = { payment_method_details: null }
    expect(facts({ ...none, ...charge({ network: 'jcb', brand: 'visa' }) }).cardScheme).toBe('jcb')
    expect(facts({ ...none, ...charge({ network: null, brand: 'diners' }) }).cardScheme).toBe('diners')
    expect(facts(none).cardScheme).toBeNull()
  })

  test.each(
    [
      ['bank_cannot_process', 'check_returned', 'credit_not_processed', 'customer_initiated', 'debit_not_authorized'],
      ['duplicate', 'fraudulent', 'general', 'incorrect_account_details', 'insufficient_funds', 'noncompliant'],
      ['product_not_received', 'product_unacceptable', 'subscription_canceled', 'unrecognized', 'a_new_one'],
    ].flat(),
  )('the reason %s is kept, and is the reason code if there is no other', (reason) => {
    expect(facts({ reason, ...card({ network_reason_code: null }) })).toMatchObject({ reason, reasonCode: reason })
    expect(translated({ reason }).anomalies).toEqual([])
  })

  test('the reason code of PayPal through Stripe', () => {
    const paypal = { payment_method_details: { type: 'paypal', paypal: { reason_code: 'UNAUTHORISED' } } }
    expect(facts(paypal).reasonCode).toBe('UNAUTHORISED')
  })
})

describe('ids', () => {
  test('a payment that is no card charge keeps its id', () =>
    expect(facts({ charge: 'py_1' }).transactionId).toBe('py_1'))

  const ordered = { id: 'ch_9', metadata: { order_id: 'order-7' }, payment_intent: 'pi_9' }
  test.each([
    ['the order of the charge', ordered, 'pi_1', 'order-7'],
    ['the dispute’s payment intent', { ...ordered, metadata: {} }, 'pi_1', 'pi_1'],
    ['an expanded payment intent', 'ch_9', { id: 'pi_1', object: 'payment_intent' }, 'pi_1'],
    ['the payment intent of the charge', { id: 'ch_9', payment_intent: 'pi_9' }, null, 'pi_9'],
    ['nothing', 'ch_9', null, null],
  ])('the merchant’s own identifier is %s', (_, charge, payment_intent, expected) =>
    expect(facts({ charge, payment_intent }).externalTransactionIdentifier).toBe(expected),
  )
})

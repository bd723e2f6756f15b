import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toChargeback } from '../../../../adapters/adyen/translate.ts'
import { DISPUTE, type Item, item, opened, PAYMENT, rawOf } from './adyen.ts'

function translated(items: Item[]) {
  const translation = toChargeback(rawOf(items))
  if (translation.kind === 'unmappable') throw new Error(translation.reason)
  return translation
}

const factsOf = (items: Item[]) => translated(items).facts

describe('the facts of a dispute', () => {
  test('come from where the guide of the PSP puts them', () => {
    const first = opened(1, { arn: '74999999999999999999999', paymentMethodVariant: 'visacredit' })
    expect(factsOf([first, item('CHARGEBACK', 3, { amount: { currency: 'EUR', value: 900 } })])).toEqual({
      chargebackId: DISPUTE,
      psp: 'adyen',
      currency: 'EUR',
      amountMinor: 900n,
      amountExponent: 2,
      postingDate: '2026-02-01T09:00:00.000Z',
      transactionCreatedDate: null,
      dueDate: '2026-03-20T02:03:08.000Z',
      pspStatus: 'needs_response',
      pspStatusChangeDate: '2026-02-03T09:00:00.000Z',
      lifecycleStage: 'chargeback',
      transactionId: PAYMENT,
      arn: '74999999999999999999999',
      externalTransactionIdentifier: 'order-1',
      merchantReferenceName: 'TestMerchantECOM',
      reasonCode: '10.4',
      reason: 'Other Fraud-Card Absent Environment',
      cardScheme: 'visa',
      paymentMethod: 'credit_card',
      bin: null,
      cardLastFourDigits: null,
      billingCountry: null,
      pspSequence: 2n,
    })
  })

  test('a reason code with a blank in front is trimmed', () => {
    const data = { chargebackReasonCode: ' 4853', chargebackSchemeCode: 'mc' }
    expect(factsOf([item('CHARGEBACK', 1, {}, data)])).toMatchObject({ reasonCode: '4853', cardScheme: 'mastercard' })
  })

  test.each([
    ['CLP', 2],
    ['ISK', 2],
    ['IDR', 0],
    ['CVE', 0],
    ['JPY', 0],
    ['KWD', 3],
  ])('%s has %i digits at Adyen', (currency, digits) => {
    expect(factsOf([item('CHARGEBACK', 1, { amount: { currency, value: 5 } })]).amountExponent).toBe(digits)
  })

  test('a single NotificationRequestItem, wrapped or not, is a dispute too', () => {
    const one = opened(1)
    for (const value of [
      one,
      { NotificationRequestItem: one },
      { live: 'false', notificationItems: [{ NotificationRequestItem: one }] },
    ]) {
      const translation = toChargeback({ reference: null, text: JSON.stringify(value) })
      expect(translation).toMatchObject({
        kind: 'chargeback',
        facts: { chargebackId: DISPUTE, pspStatus: 'needs_response' },
      })
    }
  })

  test('a missing originalReference is an anomaly, no refusal', () => {
    expect(translated([item('CHARGEBACK', 1, { originalReference: undefined })])).toMatchObject({
      facts: { transactionId: null },
      anomalies: ['originalReference is missing'],
    })
  })

  test('one notification that can not be read does not hide the others', () => {
    const { facts, anomalies } = translated([opened(1), item('CHARGEBACK', 2, { eventDate: 'soon' })])
    expect(facts.pspStatus).toBe('needs_response')
    expect(anomalies).toEqual(['a notification could not be read: eventDate is not a time'])
  })

  test.each([
    ['no JSON', 'nonsense'],
    ['no items', '{"items":[]}'],
    ['a payment only', JSON.stringify(item('AUTHORISATION', 1))],
    ['a fraction of a minor unit', JSON.stringify(item('CHARGEBACK', 1, { amount: { currency: 'EUR', value: 1.5 } }))],
    ['an unknown currency', JSON.stringify(item('CHARGEBACK', 1, { amount: { currency: 'ZZZ', value: 1 } }))],
  ])('%s is unmappable, with a reason', (_, text) => {
    const translation = toChargeback({ reference: 'R', text })
    expect(translation).toMatchObject({ kind: 'unmappable', reference: 'R' })
  })

  test('codes that nobody knows never throw', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (code, word, reason) => {
        const strange = item(
          code,
          1,
          { reason, paymentMethod: word },
          { disputeStatus: word, chargebackReasonCode: reason },
        )
        expect(['chargeback', 'unmappable']).toContain(toChargeback(rawOf([strange])).kind)
      }),
    )
  })
})

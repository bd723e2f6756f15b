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
  test('come from the fields that Adyen documents', () => {
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

  test('a reason code with a leading blank is trimmed', () => {
    const data = { chargebackReasonCode: ' 4853', chargebackSchemeCode: 'mc' }
    expect(factsOf([item('CHARGEBACK', 1, {}, data)])).toMatchObject({ reasonCode: '4853', cardScheme: 'mastercard' })
  })

  test.each([
    ['rfiReasonCode', 'REQUEST_FOR_INFORMATION'],
    ['nofReasonCode', 'NOTIFICATION_OF_FRAUD'],
  ])('a reason code may be in the field %s', (name, code) => {
    const data = { chargebackReasonCode: undefined, [name]: ' 33' }
    expect(factsOf([item(code, 1, {}, data)]).reasonCode).toBe('33')
  })

  test.each([
    ['chargebackSchemeCode', 'mc', 'mastercard'],
    ['rfiSchemeCode', 'amex', 'amex'],
    ['nofSchemeCode', 'visa', 'visa'],
    ['paymentMethod', 'discover', 'discover'],
    ['paymentMethod', 'diners', 'diners'],
    ['paymentMethod', 'jcb', 'jcb'],
    ['paymentMethod', 'maestro', 'maestro'],
    ['paymentMethod', 'cup', 'unionpay'],
    ['paymentMethodVariant', 'mc_applepay', 'mastercard'],
    ['paymentMethod', 'ideal', null],
  ])('a %s of %s is the card scheme %s', (name, word, scheme) => {
    const where =
      name === 'paymentMethod' ? [{ paymentMethod: word }, {}] : [{ paymentMethod: 'none' }, { [name]: word }]
    const one = item('CHARGEBACK', 1, where[0], { chargebackSchemeCode: undefined, ...where[1] })
    expect(factsOf([one]).cardScheme).toBe(scheme)
  })

  test('the payment method is that of the variant, else of the payment', () => {
    expect(factsOf([item('CHARGEBACK', 1, {}, { paymentMethodVariant: 'visadebit' })]).paymentMethod).toBe('debit_card')
    expect(factsOf([item('CHARGEBACK', 1, { paymentMethod: 'sepadirectdebit' })]).paymentMethod).toBe('sepa_debit')
  })

  test('the amount is the disputed amount, not the gross amount', () => {
    const gross = { grossValue: '99999', grossCurrency: 'USD' }
    expect(factsOf([item('CHARGEBACK', 1, {}, gross)])).toMatchObject({ amountMinor: 1000n, currency: 'EUR' })
  })

  test('the amount is taken from the newest event that disputes an amount', () => {
    const other = { amount: { currency: 'EUR', value: 500 } }
    expect(factsOf([opened(1), item('CHARGEBACK_REVERSED', 2, other)]).amountMinor).toBe(1000n)
    expect(factsOf([opened(1), item('SECOND_CHARGEBACK', 2, other)]).amountMinor).toBe(500n)
  })

  test('an event with the amount 0 and no currency is accepted', () => {
    const { facts, anomalies } = translated([opened(1), item('ISSUER_COMMENTS', 2, { amount: { value: 0 } })])
    expect([facts.amountMinor, anomalies]).toEqual([1000n, []])
  })

  test('the due date is the latest reported one, and stays if an event has none', () => {
    const ends = { defensePeriodEndsAt: '2026-03-10T00:00:00+01:00' }
    const dueDate = '2026-03-09T23:00:00.000Z'
    expect(factsOf([opened(1), item('CHARGEBACK', 2, {}, ends)]).dueDate).toBe(dueDate)
    expect(factsOf([opened(1), item('CHARGEBACK', 2, {}, ends), item('CHARGEBACK', 3)]).dueDate).toBe(dueDate)
  })

  test('an event without additionalData is accepted', () => {
    expect(factsOf([item('PREARBITRATION_WON', 1, { additionalData: undefined })])).toMatchObject({
      pspStatus: 'won',
      reasonCode: null,
    })
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

  test('a missing originalReference is only an anomaly', () => {
    expect(translated([item('CHARGEBACK', 1, { originalReference: undefined })])).toMatchObject({
      facts: { transactionId: null },
      anomalies: ['originalReference is missing'],
    })
  })

  test.each(['soon', '2026-02-30T00:00:00Z'])(
    'a notification with the date %s does not hide the others',
    (eventDate) => {
      const { facts, anomalies } = translated([opened(1), item('CHARGEBACK', 2, { eventDate })])
      expect(facts.pspStatus).toBe('needs_response')
      expect(anomalies).toEqual(['a notification could not be read: eventDate is not a time'])
    },
  )

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

  test('unknown codes never throw', () => {
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

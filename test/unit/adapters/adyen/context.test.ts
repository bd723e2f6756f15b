import { describe, expect, test } from 'vitest'
import { toTransaction } from '../../../../adapters/adyen/context.ts'
import { connectAdyen, delivery, inboxOf, item, opened, PAYMENT, rawOf } from './adyen.ts'

const paid = (data: Record<string, unknown> = {}, changes = {}) =>
  item('AUTHORISATION', 1, { originalReference: undefined, pspReference: PAYMENT, ...changes }, data)
const DETAILS = {
  cardBin: '40000512',
  cardSummary: '1234',
  fundingSource: 'DEBIT',
  shopperEmail: 'ayla@example.org',
  shopperIP: '203.0.113.9',
  'billingAddress.country': 'NL',
  'deliveryAddress.street': 'Herengracht',
  'deliveryAddress.houseNumberOrName': '7',
  'deliveryAddress.postalCode': '1015 BH',
  'deliveryAddress.city': 'Amsterdam',
  'deliveryAddress.country': 'NL',
}

describe('enrichment', () => {
  test('comes from the notification of the payment', async () => {
    const inbox = inboxOf([delivery([paid(DETAILS)]), delivery([opened(3)])])
    const context = await connectAdyen({ inbox }).fetchContext(rawOf([opened(3)]))
    expect(context?.reference).toBe(PAYMENT)
    expect(toTransaction(context ?? rawOf([]))).toMatchObject({
      transactionId: PAYMENT,
      transactionCreatedDate: '2026-02-01T09:00:00.000Z',
      bin: '40000512',
      cardLastFourDigits: '1234',
      billingCountry: 'NL',
      cardScheme: 'visa',
      paymentMethod: 'debit_card',
      dataPoints: {
        transactionOrderEmail: 'ayla@example.org',
        transactionOrderIpAddress: '203.0.113.9',
        transactionShippingToAddressLine1: 'Herengracht 7',
        transactionShippingToFullShippingAddress: 'Herengracht 7, Amsterdam, 1015 BH, NL',
      },
    })
  })

  test('is null without an error if the payment is older than the webhook', async () => {
    expect(await connectAdyen({ inbox: inboxOf([delivery([opened()])]) }).fetchContext(rawOf([opened()]))).toBeNull()
  })

  test('ignores a refused attempt at the payment', async () => {
    const inbox = inboxOf([
      delivery([paid({ cardSummary: '1111' })]),
      delivery([paid({ cardSummary: '9999' }, { success: 'false' })]),
    ])
    const context = await connectAdyen({ inbox }).fetchContext(rawOf([opened()]))
    expect(toTransaction(context ?? rawOf([])).cardLastFourDigits).toBe('1111')
  })

  test('comes from the newest of several notifications, in any order of arrival', async () => {
    const body = (cardSummary: string, day: number) =>
      delivery([paid({ cardSummary }, { eventDate: `2026-02-0${day}T10:00:00+01:00` })])
    for (const bodies of [
      [body('1111', 3), body('2222', 1), body('3333', 2)],
      [body('3333', 2), body('2222', 1), body('1111', 3)],
      [body('2222', 1), body('1111', 3), body('3333', 2)],
    ]) {
      const context = await connectAdyen({ inbox: inboxOf(bodies) }).fetchContext(rawOf([opened()]))
      expect(toTransaction(context ?? rawOf([])).cardLastFourDigits).toBe('1111')
    }
  })

  test.each([
    ['NL', '74537604221222132710572', 'NL', '74537604221222132710572'],
    ['ZZ', '7453760422122213271057', null, null],
    ['Netherlands', 'n/a', null, null],
  ])('country %s and ARN %s are used only if they are valid', (country, arn, billingCountry, kept) => {
    const text = JSON.stringify(paid({ 'billingAddress.country': country, arn }))
    const found = toTransaction({ reference: PAYMENT, text })
    expect(found).toMatchObject({ billingCountry, arn: kept })
    expect(found.dataPoints.transactionBillingAddressCountry ?? null).toBe(billingCountry)
  })

  test.each([
    ['400005', '400005'],
    ['4000051', '400005'],
    ['4000051234', '40000512'],
    ['4000', null],
    ['40000X', null],
  ])('a card BIN %s is %s', (cardBin, bin) => {
    expect(toTransaction({ reference: PAYMENT, text: JSON.stringify(paid({ cardBin })) }).bin).toBe(bin)
  })
})

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

  test('is nothing, and no error, when the payment is older than the webhook', async () => {
    expect(await connectAdyen({ inbox: inboxOf([delivery([opened()])]) }).fetchContext(rawOf([opened()]))).toBeNull()
  })

  test('takes no refused attempt at the payment', async () => {
    const inbox = inboxOf([
      delivery([paid({ cardSummary: '1111' })]),
      delivery([paid({ cardSummary: '9999' }, { success: 'false' })]),
    ])
    const context = await connectAdyen({ inbox }).fetchContext(rawOf([opened()]))
    expect(toTransaction(context ?? rawOf([])).cardLastFourDigits).toBe('1111')
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

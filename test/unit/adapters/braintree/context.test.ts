import { describe, expect, test } from 'vitest'
import { toTransaction } from '../../../../adapters/braintree/context.ts'
import { connectTo, sendXml, simulated, startServer } from './connect.ts'

const raw = (id: unknown) => ({ reference: 'd1', text: JSON.stringify({ id: 'd1', transaction: { id } }) })

/** A transaction in XML, through the SDK and `toTransaction`. */
async function facts(inner: string) {
  const xml = `<transaction><id>t1</id><created-at type="datetime">2026-03-07T16:56:14Z</created-at>
    <disputes type="array"/><refund-ids type="array"/><shipments type="array"/><status-history type="array"/>${inner}</transaction>`
  await using braintree = await startServer((_, response) => sendXml(response, 200, xml))
  const context = await connectTo(braintree.url).fetchContext(raw('t1'))
  if (context === null) throw new Error('no context')
  return toTransaction(context)
}

const CARD = `<credit-card><bin>411111</bin><last-4>1111</last-4><card-type>Visa</card-type><debit>Yes</debit>
  <prepaid>No</prepaid><unique-number-identifier>fp</unique-number-identifier></credit-card>`

describe('the transaction of a dispute', () => {
  test('a country is two capital letters or null', async () => {
    for (const [word, country] of [
      ['SE', 'SE'],
      ['Sweden', null],
    ]) {
      const transaction = await facts(`<billing><country-code-alpha2>${word}</country-code-alpha2></billing>`)
      expect(transaction.billingCountry).toBe(country)
      expect(transaction.dataPoints.transactionBillingAddressCountry).toBe(country ?? undefined)
    }
  })

  test('a card', async () => {
    const transaction = await facts(`<payment-instrument-type>credit_card</payment-instrument-type>${CARD}
      <acquirer-reference-number>74537604221222193212345</acquirer-reference-number>
      <customer><email>ada@example.com</email><phone></phone></customer>
      <billing><country-code-alpha2>DE</country-code-alpha2></billing>
      <shipping><street-address>1 Mill Lane</street-address><region>OR</region></shipping>`)
    expect(transaction).toMatchObject({
      transactionId: 't1',
      transactionCreatedDate: '2026-03-07T16:56:14.000Z',
      arn: '74537604221222193212345',
      cardScheme: 'visa',
      paymentMethod: 'debit_card',
      bin: '411111',
      cardLastFourDigits: '1111',
      billingCountry: 'DE',
    })
    expect(transaction.dataPoints).toMatchObject({
      transactionOrderEmail: 'ada@example.com',
      transactionShippingToAddressLine1: '1 Mill Lane',
      transactionShippingToState: 'OR',
      transactionCardFingerprint: 'fp',
    })
    expect(transaction.dataPoints).not.toHaveProperty('transactionOrderPhone')
    expect(transaction.dataPoints).not.toHaveProperty('transactionOrderIpAddress')
  })

  test('PayPal: the empty card that the SDK adds is ignored', async () => {
    const transaction = await facts(`<payment-instrument-type>paypal_account</payment-instrument-type>
      <credit-card><bin nil="true"/></credit-card><paypal><payer-email>p@example.com</payer-email></paypal>`)
    expect(transaction).toMatchObject({
      paymentMethod: 'paypal',
      cardScheme: null,
      bin: null,
      cardLastFourDigits: null,
    })
    expect(transaction.dataPoints.transactionOrderEmail).toBe('p@example.com')
  })

  test('Apple Pay: the prefix before the network is removed', async () => {
    const transaction = await facts(`<payment-instrument-type>apple_pay_card</payment-instrument-type><credit-card/>
      <apple-pay><card-type>Apple Pay - MasterCard</card-type><bin>555555</bin><last-4>4444</last-4></apple-pay>`)
    expect(transaction).toMatchObject({ paymentMethod: 'apple_pay', cardScheme: 'mastercard', bin: '555555' })
    expect(transaction.dataPoints.transactionCardAppleLast4Digits).toBe('4444')
  })

  test('Google Pay: the digits of the card, not of the device', async () => {
    const transaction = await facts(`<payment-instrument-type>android_pay_card</payment-instrument-type><credit-card/>
      <android-pay-card><virtual-card-type>Visa</virtual-card-type><virtual-card-last-4>1111</virtual-card-last-4>
      <source-card-type>American Express</source-card-type><source-card-last-4>0005</source-card-last-4></android-pay-card>`)
    expect(transaction).toMatchObject({ paymentMethod: 'google_pay', cardScheme: 'amex', cardLastFourDigits: '0005' })
  })

  test('shipments are kept as a list, without the SDK’s second form of them', async () => {
    const xml = `<transaction><id>t1</id><disputes type="array"/><refund-ids type="array"/><status-history type="array"/>
      <shipments type="array"><shipment><carrier>UPS</carrier><tracking-number>1Z</tracking-number></shipment></shipments>
      </transaction>`
    await using braintree = await startServer((_, response) => sendXml(response, 200, xml))
    const context = JSON.parse((await connectTo(braintree.url).fetchContext(raw('t1')))?.text ?? '')
    expect(context.shipments).toEqual([{ carrier: 'UPS', trackingNumber: '1Z' }])
    expect(Object.keys(context)).not.toContain('packages')
  })

  test('an ARN that is missing or invalid is null', async () => {
    expect((await facts('<acquirer-reference-number nil="true"/>')).arn).toBeNull()
    expect((await facts('<acquirer-reference-number>123</acquirer-reference-number>')).arn).toBeNull()
  })
})

describe('a missing context is no error', () => {
  test.each([404, 403])('a transaction that returns %i', async (status) => {
    await using braintree = await startServer((_, response) => sendXml(response, status, ''))
    expect(await connectTo(braintree.url).fetchContext(raw('archived'))).toBeNull()
  })

  test.each([[null], [7], ['a/b'], ['']])('a dispute with the transaction id %j causes no call', async (id) => {
    await using braintree = await simulated()
    expect(await braintree.adapter.fetchContext(raw(id))).toBeNull()
    expect(braintree.calls()).toEqual([])
  })
})

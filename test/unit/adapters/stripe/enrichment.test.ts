import { describe, expect, test } from 'vitest'
import { stripe } from '../../../../adapters/stripe/index.ts'
import { connectStripe, sampleDispute, sendJson, startLoopback } from '../loopback.ts'

const card = (changes: object = {}) => ({ type: 'card', card: { last4: '4242', network: 'visa', ...changes } })
function transaction(charge: object, evidence: object | null = null) {
  const text = JSON.stringify({ charge: { id: 'ch_1', object: 'charge', created: 1_790_000_000, ...charge }, evidence })
  const facts = stripe.toTransaction?.({ reference: 'ch_1', text })
  if (!facts) throw new Error('no facts')
  return facts
}

describe('transaction data from a charge', () => {
  test('the last digits of a wallet’s device are not the card’s', () => {
    const wallet = { type: 'apple_pay', dynamic_last4: '9999' }
    const { cardLastFourDigits, paymentMethod, dataPoints } = transaction({ payment_method_details: card({ wallet }) })
    expect([cardLastFourDigits, paymentMethod]).toEqual(['4242', 'apple_pay'])
    expect(dataPoints).toMatchObject({
      transactionCardLastFourDigits: '4242',
      transactionCardAppleLast4Digits: '9999',
    })
  })

  test('without a valid IIN the BIN is null', () => {
    expect(transaction({ payment_method_details: card() }).bin).toBeNull()
    expect(transaction({ payment_method_details: card({ iin: '42' }) }).bin).toBeNull()
    expect(transaction({ payment_method_details: card({ iin: '424242' }) }).bin).toBe('424242')
  })

  test('neither the network’s transaction id nor the ARN of a refund is the charge’s ARN', () => {
    const refunds = {
      data: [
        { destination_details: { card: { reference: '7'.repeat(23), reference_type: 'acquirer_reference_number' } } },
      ],
    }
    const found = transaction({ payment_method_details: card({ network_transaction_id: '123456789012345' }), refunds })
    expect(found.arn).toBeNull()
    expect(JSON.stringify(found)).not.toMatch(/777|123456789012345/)
  })

  test('the country is taken from the billing address, never from the issuer', () => {
    expect(transaction({ payment_method_details: card({ country: 'US' }) }).billingCountry).toBeNull()
    const billing_details = { address: { country: 'DE' } }
    expect(transaction({ payment_method_details: card({ country: 'US' }), billing_details }).billingCountry).toBe('DE')
  })

  const emails = {
    billing: { billing_details: { email: 'billing@example.com' } },
    receipt: { receipt_email: 'receipt@example.com' },
    customer: { customer: { id: 'cus_1', email: 'customer@example.com' } },
    deleted: { customer: { id: 'cus_1', deleted: true } },
  }
  const evidence = { customer_email_address: 'evidence@example.com', customer_purchase_ip: '203.0.113.7' }
  test.each([
    ['billing@example.com', { ...emails.customer, ...emails.receipt, ...emails.billing }],
    ['receipt@example.com', { ...emails.customer, ...emails.receipt }],
    ['customer@example.com', emails.customer],
    ['evidence@example.com', emails.deleted],
  ])('the e-mail address %s has the highest precedence', (email, charge) =>
    expect(transaction(charge, evidence).dataPoints.transactionOrderEmail).toBe(email),
  )

  test('the IP address comes only from the evidence that Stripe fills in', () =>
    expect(transaction({}, evidence).dataPoints.transactionOrderIpAddress).toBe('203.0.113.7'))

  test('PayPal through Stripe, and a payment without details', () => {
    const paypal = { type: 'paypal', paypal: { payer_email: 'payer@example.com' } }
    expect(transaction({ payment_method_details: paypal })).toMatchObject({
      paymentMethod: 'paypal',
      cardScheme: null,
      dataPoints: { transactionOrderEmail: 'payer@example.com' },
    })
    expect(transaction({ payment_method_details: null })).toMatchObject({
      paymentMethod: null,
      cardLastFourDigits: null,
    })
  })
})

describe('reading the charge', () => {
  const dispute = { reference: 'dp_sample1', text: JSON.stringify(sampleDispute()) }
  const refused = { error: { type: 'invalid_request_error' } }

  test('takes one call, which returns intent, customer and refunds too', async () => {
    await using server = await startLoopback((_, response) =>
      sendJson(response, 200, { id: 'ch_sample1', object: 'charge' }),
    )
    const context = await connectStripe(server.url).fetchContext(dispute)
    expect(context?.reference).toBe('ch_sample1')
    const [request] = server.seen
    expect(server.seen).toHaveLength(1)
    expect(request?.path).toBe('/v1/charges/ch_sample1')
    expect([0, 1, 2].map((index) => request?.query.get(`expand[${index}]`))).toEqual([
      'payment_intent',
      'customer',
      'refunds',
    ])
  })

  test('without permission for the expanded objects only the charge is read', async () => {
    await using server = await startLoopback((request, response) =>
      request.query.get('expand[0]') === null
        ? sendJson(response, 200, { id: 'ch_sample1', object: 'charge' })
        : sendJson(response, 403, refused),
    )
    expect(await connectStripe(server.url).fetchContext(dispute)).not.toBeNull()
  })

  test.each([403, 404])('a %i on charges skips the enrichment and does not fail', async (status) => {
    await using server = await startLoopback((_, response) => sendJson(response, status, refused))
    expect(await connectStripe(server.url).fetchContext(dispute)).toBeNull()
  })

  test('an outage of Stripe is not mistaken for a missing charge', async () => {
    await using server = await startLoopback((_, response) => sendJson(response, 500, refused))
    await expect(connectStripe(server.url).fetchContext(dispute)).rejects.toMatchObject({ kind: 'unavailable' })
  })
})

import { describe, expect, test } from 'vitest'
import type { Adapter } from '../../../../adapters/contract.ts'
import { paypalSecret } from '../../../../adapters/paypal/secret.ts'
import { toTransaction } from '../../../../adapters/paypal/transaction.ts'
import { CLIENT_SECRET, LIMITED_CLIENT } from '../../../../simulators/paypal/keys.ts'
import { detail, errorOf, json, NOW, simulated, stubbed } from './paypal.ts'

const dispute = { reference: 'PP-1', text: JSON.stringify(detail()) }
const capture = {
  id: '3BC38643YC807283D',
  status: 'COMPLETED',
  create_time: '2026-01-20T08:00:00Z',
  network_transaction_reference: { network: 'VISA', acquirer_reference_number: '74027420123456789012345' },
  supplementary_data: { related_ids: { order_id: 'ORDER1' } },
}
const order = {
  payment_source: {
    card: { last_digits: '4242', brand: 'VISA', type: 'DEBIT', bin_details: { bin: '424242' } },
  },
  payer: { email_address: 'ada@example.net', address: { country_code: 'DE' } },
  purchase_units: [
    {
      soft_descriptor: 'PAYPAL *SHOP',
      items: [{ name: 'Lamp', description: 'Brass' }],
      shipping: {
        address: {
          address_line_1: '1 Road',
          admin_area_1: 'CA',
          admin_area_2: 'Town',
          postal_code: '95131',
          country_code: 'US',
        },
      },
    },
  ],
}

/** PayPal with responses by path without query: an object, or an error status. */
function paypalWith(known: Record<string, object | number>) {
  return stubbed(({ path }) => {
    const [address = ''] = path.split('?')
    const found = known[address]
    if (found === undefined) return undefined
    return typeof found === 'number' ? json({ name: 'X' }, found) : json(found)
  })
}
const CAPTURE = '/v2/payments/captures/3BC38643YC807283D'
const ORDER = '/v2/checkout/orders/ORDER1'
const SEARCH = '/v1/reporting/transactions'

describe('enrichment', () => {
  test('of a card payment returns ARN, card and shipping', async () => {
    const { adapter, apiCalls } = paypalWith({ [CAPTURE]: capture, [ORDER]: order })
    const context = await adapter.fetchContext(dispute)
    expect(toTransaction(context ?? dispute)).toMatchObject({
      transactionId: '3BC38643YC807283D',
      transactionCreatedDate: '2026-01-20T08:00:00.000Z',
      arn: '74027420123456789012345',
      cardScheme: 'visa',
      paymentMethod: 'debit_card',
      bin: '424242',
      cardLastFourDigits: '4242',
      billingCountry: 'DE',
      dataPoints: {
        transactionOrderEmail: 'ada@example.net',
        transactionOrderItemsProductName: 'Lamp',
        transactionShippingToState: 'CA',
        transactionShippingToFullShippingAddress: '1 Road, Town, CA, 95131, US',
      },
    })
    expect(apiCalls().map((call) => call.path)).toEqual([CAPTURE, ORDER])
    // PayPal never returns it, and a wrong one would count as evidence.
    expect(toTransaction(context ?? dispute)?.dataPoints).not.toHaveProperty('transactionOrderIpAddress')
  })

  test('of a wallet payment works without a card', async () => {
    const { network_transaction_reference: _, ...plain } = capture
    const wallet = {
      ...order,
      payment_source: { paypal: { email_address: 'b@example.net', address: { country_code: 'FR' } } },
      payer: {},
    }
    const { adapter } = paypalWith({ [CAPTURE]: plain, [ORDER]: wallet })
    const context = await adapter.fetchContext(dispute)
    expect(toTransaction(context ?? dispute)).toMatchObject({
      paymentMethod: 'paypal',
      arn: null,
      bin: null,
      cardLastFourDigits: null,
      cardScheme: null,
      billingCountry: 'FR',
    })
  })

  test('of a payment by an older API uses Transaction Search, within 31 days', async () => {
    const info = { transaction_id: '3BC38643YC807283D', transaction_initiation_date: '2026-01-20T08:00:00+0000' }
    const found = { transaction_details: [{ transaction_info: info, payer_info: { country_code: 'GB' } }] }
    const { adapter, apiCalls } = paypalWith({ [SEARCH]: found })
    const context = await adapter.fetchContext(dispute)
    expect(toTransaction(context ?? dispute)).toMatchObject({
      transactionId: info.transaction_id,
      transactionCreatedDate: '2026-01-20T08:00:00.000Z',
      billingCountry: 'GB',
    })
    const query = new URLSearchParams(apiCalls().at(-1)?.path.split('?')[1])
    const days = (Date.parse(query.get('end_date') ?? '') - Date.parse(query.get('start_date') ?? '')) / 86_400_000
    expect([query.get('fields'), days <= 31]).toEqual(['all', true])
  })

  test.each([
    ['apple_pay', 'apple_pay'],
    ['google_pay', 'google_pay'],
    ['venmo', 'other'],
    ['card', 'credit_card'],
  ])('derives the payment method from the key %s', async (key, method) => {
    const card = { last_digits: '4242', brand: 'MASTERCARD', type: 'CREDIT' }
    const paid = { ...order, payment_source: { [key]: key === 'card' ? card : { card } } }
    const context = await paypalWith({ [CAPTURE]: capture, [ORDER]: paid }).adapter.fetchContext(dispute)
    expect(toTransaction(context ?? dispute)).toMatchObject({
      paymentMethod: method,
      cardScheme: 'mastercard',
      cardLastFourDigits: '4242',
    })
  })

  test('uses the first of two Transaction Search entries for a payment', async () => {
    const entry = (country_code: string) => ({
      transaction_info: { transaction_id: '3BC38643YC807283D' },
      payer_info: { country_code },
    })
    const { adapter } = paypalWith({ [SEARCH]: { transaction_details: [entry('GB'), entry('FR')] } })
    const context = await adapter.fetchContext(dispute)
    expect(toTransaction(context ?? dispute)).toMatchObject({
      transactionId: '3BC38643YC807283D',
      billingCountry: 'GB',
    })
  })

  test('uses Transaction Search if PayPal no longer has the order', async () => {
    const found = { transaction_details: [{ payer_info: { country_code: 'GB' } }] }
    const context = await paypalWith({ [CAPTURE]: capture, [ORDER]: 404, [SEARCH]: found }).adapter.fetchContext(
      dispute,
    )
    expect(toTransaction(context ?? dispute)).toMatchObject({ cardScheme: 'visa', billingCountry: 'GB' })
  })

  test('takes the scheme from the network if the order is unknown', async () => {
    const context = await paypalWith({ [CAPTURE]: capture, [ORDER]: 404 }).adapter.fetchContext(dispute)
    expect(toTransaction(context ?? dispute)).toMatchObject({ cardScheme: 'visa', paymentMethod: 'card', bin: null })
  })

  test.each([
    ['an order that PayPal no longer has', { [CAPTURE]: capture, [ORDER]: 404 }],
    ['such an order, and no Transaction Search', { [CAPTURE]: capture, [ORDER]: 404, [SEARCH]: 403 }],
  ])('works with %s', async (_, known) => {
    const context = await paypalWith(known).adapter.fetchContext(dispute)
    expect(toTransaction(context ?? dispute).transactionId).toBe('3BC38643YC807283D')
  })

  test('is null if PayPal does not know the payment, and fails if PayPal is unavailable', async () => {
    expect(await paypalWith({ [CAPTURE]: 404, [SEARCH]: 403 }).adapter.fetchContext(dispute)).toBeNull()
    expect((await errorOf(paypalWith({ [CAPTURE]: 503 }).adapter.fetchContext(dispute) as Promise<unknown>)).kind).toBe(
      'unavailable',
    )
  })

  test('is null if Transaction Search does not have the payment yet', async () => {
    const { adapter } = paypalWith({ [CAPTURE]: 404, [SEARCH]: { transaction_details: [] } })
    expect(await adapter.fetchContext(dispute)).toBeNull()
  })

  test('never asks Transaction Search for a time in the future', async () => {
    const [paid] = detail().disputed_transactions as object[]
    const create_time = new Date(NOW.getTime() - 86_400_000).toISOString()
    const fresh = detail({ disputed_transactions: [{ ...paid, create_time }] })
    const { adapter, apiCalls } = paypalWith({})
    await adapter.fetchContext({ reference: 'PP-1', text: JSON.stringify(fresh) })
    expect(new URLSearchParams(apiCalls().at(-1)?.path.split('?')[1]).get('end_date')).toBe(NOW.toISOString())
  })

  test('never calls an address that an invalid id would form', async () => {
    const odd = { disputed_transactions: [{ seller_transaction_id: '../../v1/oauth2' }] }
    const { adapter, calls } = stubbed(() => json({}))
    expect(await adapter.fetchContext({ reference: null, text: JSON.stringify(odd) })).toBeNull()
    expect(calls).toHaveLength(0)
  })
})

describe('enrichment at the simulated PayPal', () => {
  test('returns a context for every payment, older APIs included', async () => {
    await using bench = await simulated()
    const adapter = bench.connect() as Required<Adapter>
    let searched = 0
    for (const reference of await bench.create({ count: 40 })) {
      const context = await adapter.fetchContext(await adapter.fetchDispute(reference))
      expect(context).not.toBeNull()
      if (context?.text.includes('"capture":null')) searched++
    }
    expect(searched).toBeGreaterThan(0)
  })

  test('is skipped for an app without those features', async () => {
    await using bench = await simulated()
    const secret = paypalSecret.parse({ clientId: LIMITED_CLIENT, clientSecret: CLIENT_SECRET })
    const adapter = bench.connect({ secret }) as Required<Adapter>
    const [reference = ''] = await bench.create({ count: 1 })
    expect(await adapter.fetchContext(await adapter.fetchDispute(reference))).toBeNull()
  })
})

import { describe, expect, test } from 'vitest'
import { toTransaction } from '../../../../adapters/stripe/context.ts'

const points = (card: object, charge: object = {}) => {
  const object = { id: 'ch_1', payment_method_details: { type: 'card', card }, ...charge }
  return toTransaction({ reference: 'ch_1', text: JSON.stringify({ charge: object, evidence: null }) }).dataPoints
}
const avs = (address_line1_check: unknown, address_postal_code_check: unknown) =>
  points({ checks: { address_line1_check, address_postal_code_check } }).avsResult
const refund = (change: object = {}) => ({
  ...{ id: 're_1', status: 'succeeded', amount: 1200, currency: 'usd', created: 1_772_582_400 },
  ...change,
})
const refunded = (...data: object[]) => points({}, { refunds: { data } })

describe('evidence from a charge', () => {
  test.each([
    ['pass', 'pass', 'match'],
    ['pass', 'unchecked', 'address_match'],
    ['fail', 'pass', 'postal_code_match'],
    ['fail', 'fail', 'no_match'],
    ['fail', null, undefined],
    ['unavailable', 'unavailable', undefined],
  ])('address check %s and %s: %s', (line, postal, result) => expect(avs(line, postal)).toBe(result))

  test.each([
    ['contact_emv', 'chip'],
    ['contactless_emv', 'contactless'],
    ['magnetic_stripe_fallback', undefined],
  ])('a card at a terminal, read by %s: %s', (read_method, entry) => {
    const details = { payment_method_details: { type: 'card_present', card_present: { read_method } } }
    expect(points({}, details).cardEntry).toBe(entry)
  })

  test('security code, authorization and 3-D Secure; an exemption is no proof', () => {
    const three_d_secure = { result: 'authenticated', electronic_commerce_indicator: '05' }
    expect(points({ checks: { cvc_check: 'pass' }, three_d_secure, authorization_code: '123456' })).toMatchObject({
      ...{ cvvResult: 'match', threeDsResult: 'authenticated', eci: '05', authorizationCode: '123456' },
    })
    const attempt = points({ electronic_commerce_indicator: '06', three_d_secure: { result: 'attempt_acknowledged' } })
    expect(attempt).toMatchObject({ threeDsResult: 'attempted', eci: '06' })
    for (const result of ['exempted', 'data_share_only', 'not_supported', 7])
      expect(points({ three_d_secure: { result } })).not.toHaveProperty('threeDsResult')
  })

  test('a refund with its date, amount and available ARN: the largest refund that succeeded', () => {
    const card = {
      reference: '7'.repeat(23),
      reference_status: 'available',
      reference_type: 'acquirer_reference_number',
    }
    expect(refunded(refund({ destination_details: { card } }))).toMatchObject({
      ...{
        refundId: 're_1',
        refundDate: '2026-03-04T00:00:00.000Z',
        refundAmount: '12 USD',
        refundArn: '7'.repeat(23),
      },
    })
    const pending = { card: { ...card, reference_status: 'pending' } }
    expect(refunded(refund({ destination_details: pending }))).not.toHaveProperty('refundArn')
    expect(refunded(refund(), refund({ id: 're_2', amount: 1300 })).refundId).toBe('re_2')
    expect(refunded(refund({ status: 'pending' }), refund({ status: 'failed' }))).not.toHaveProperty('refundId')
    expect(refunded(refund({ currency: 'jpy' })).refundAmount).toBe('1200 JPY')
  })

  test('the amount that was authorized', () => {
    const authorized = (amount_authorized: unknown, currency: string) =>
      points({ amount_authorized }, { currency }).authorizedAmount
    expect(authorized(12990, 'usd')).toBe('129.9 USD')
    expect(authorized(1200, 'jpy')).toBe('1200 JPY')
    expect([authorized(null, 'usd'), authorized(0, 'usd')]).toEqual([undefined, undefined])
  })

  test('carrier and tracking number of the shipment', () => {
    expect(points({}, { shipping: { carrier: 'DHL', tracking_number: '1Z' } })).toMatchObject({
      ...{ shippingCarrier: 'DHL', shippingTrackingNumber: '1Z' },
    })
  })
})

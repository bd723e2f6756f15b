import { describe, expect, test } from 'vitest'
import { toTransaction } from '../../../../adapters/braintree/context.ts'

const points = (transaction: object) =>
  toTransaction({ reference: 't1', text: JSON.stringify({ id: 't1', ...transaction }) }).dataPoints

describe('evidence from a transaction', () => {
  test.each([
    ['M', 'M', 'match'],
    ['M', 'U', 'address_match'],
    ['N', 'M', 'postal_code_match'],
    ['N', 'N', 'no_match'],
    ['I', 'S', undefined],
    ['A', 'B', undefined],
  ])('street %s and postal code %s: %s', (avsStreetAddressResponseCode, avsPostalCodeResponseCode, result) => {
    expect(points({ avsStreetAddressResponseCode, avsPostalCodeResponseCode }).avsResult).toBe(result)
  })

  test('security code, authorization code and 3-D Secure; lookups are no proof', () => {
    const threeDSecureInfo = { status: 'authenticate_successful', eciFlag: '05', enrolled: 'Y' }
    expect(points({ cvvResponseCode: 'M', processorAuthorizationCode: '123456', threeDSecureInfo })).toMatchObject({
      ...{ cvvResult: 'match', authorizationCode: '123456', threeDsResult: 'authenticated', eci: '05' },
    })
    const status = (word: string) => points({ threeDSecureInfo: { status: word } }).threeDsResult
    expect(status('authenticate_attempt_successful')).toBe('attempted')
    expect(status('authenticate_rejected')).toBe('failed')
    for (const word of ['lookup_not_enrolled', 'exemption_tra_successful', 'authentication_unavailable'])
      expect(status(word)).toBeUndefined()
  })

  test('a refund id is used only if there is exactly one', () => {
    expect(points({ refundIds: ['r1'] })).toMatchObject({ refundId: 'r1' })
    for (const refundIds of [[], ['r1', 'r2'], [7]]) expect(points({ refundIds })).not.toHaveProperty('refundId')
  })

  test('a shipment is used only if it is the only one and has carrier and number', () => {
    const one = { carrier: 'UPS', trackingNumber: '1Z' }
    expect(points({ shipments: [one] })).toMatchObject({ shippingCarrier: 'UPS', shippingTrackingNumber: '1Z' })
    for (const shipments of [[one, one], [{ carrier: 'UPS' }], []])
      expect(points({ shipments })).not.toHaveProperty('shippingTrackingNumber')
  })
})

import { describe, expect, test } from 'vitest'
import { toTransaction } from '../../../../adapters/paypal/transaction.ts'

const points = (capture: object, order: object = {}, brand = 'VISA') => {
  const known = {
    capture: { id: 'C1', ...capture },
    order: { payment_source: { card: { brand, last_digits: '4242', ...order } }, ...order },
    search: null,
  }
  return toTransaction({ reference: 'C1', text: JSON.stringify(known) }).dataPoints
}
const avs = (avs_code: string, brand?: string) => points({ processor_response: { avs_code } }, {}, brand).avsResult
const refund = (change: object = {}) => ({
  ...{
    id: 'R1',
    status: 'COMPLETED',
    amount: { value: '12.00', currency_code: 'USD' },
    create_time: '2026-03-04T08:00:00Z',
  },
  ...change,
})
const refunded = (refunds: object[], captures: object[] = [{}]) =>
  points({}, { purchase_units: [{ payments: { refunds, captures } }] })

describe('evidence from capture and order', () => {
  test.each([
    ['Y', 'VISA', 'match'],
    ['M', 'MASTERCARD', 'match'],
    ['Y', 'DISCOVER', 'match'],
    ['Y', 'AMEX', 'match'],
    // These codes check the name.
    ['M', 'AMEX', undefined],
    ['F', 'AMEX', undefined],
    ['A', 'VISA', 'address_match'],
    ['W', 'VISA', 'postal_code_match'],
    ['N', 'VISA', 'no_match'],
    ['U', 'VISA', undefined],
    ['0', 'MAESTRO', undefined],
  ])('address check %s of %s: %s', (code, brand, result) => expect(avs(code, brand)).toBe(result))

  test('security code and 3-D Secure', () => {
    expect(points({ processor_response: { cvv_code: 'M' } }).cvvResult).toBe('match')
    expect(points({ processor_response: { cvv_code: 'P' } })).not.toHaveProperty('cvvResult')
    const secure = (authentication_status: string) =>
      points({}, { authentication_result: { three_d_secure: { authentication_status } } }).threeDsResult
    expect([secure('Y'), secure('A'), secure('N'), secure('U')]).toEqual([
      'authenticated',
      'attempted',
      'failed',
      undefined,
    ])
  })

  test('the largest completed refund, or none if the order has several captures', () => {
    const larger = refund({
      id: 'R2',
      amount: { value: '20.00', currency_code: 'USD' },
      acquirer_reference_number: '7'.repeat(23),
    })
    expect(refunded([refund(), larger])).toMatchObject({
      ...{ refundId: 'R2', refundAmount: '20.00 USD', refundDate: '2026-03-04T08:00:00Z', refundArn: '7'.repeat(23) },
    })
    for (const found of [
      refunded([refund()], [{}, {}]),
      refunded([refund({ status: 'PENDING' })]),
      refunded([{ status: 'COMPLETED' }]),
    ])
      expect(found).not.toHaveProperty('refundId')
  })
})

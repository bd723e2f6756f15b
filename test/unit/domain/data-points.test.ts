import { describe, expect, test } from 'vitest'
import { claimedSignals, faultOfDataPoint, mergeDataPoints, presentDataPoints } from '../../../domain/data-points.ts'

const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) })

describe('data points', () => {
  test.each([
    ['a', 'text'],
    [`a${'b'.repeat(99)}`, 0],
    ['transactionOrderEmail', ''],
    ['a_1', false],
    ['a', [1, 'two', { three: [true] }]],
    ['a', nested(5)],
    ['a', { constructor: 1, '': 2 }],
  ])('%s accepts %j', (name, value) => {
    expect(faultOfDataPoint(name, value)).toBeNull()
  })

  test.each([
    ['', 1, 'The name'],
    ['1a', 1, 'The name'],
    ['a-b', 1, 'The name'],
    ['ä', 1, 'The name'],
    ['__proto__', 1, 'The name'],
    [`a${'b'.repeat(100)}`, 1, 'The name'],
    ['pspStatus', 'won', 'Belongs to the service'],
    ['id', 1, 'Belongs to the service'],
    ['a', null, 'null'],
    ['a', [null], 'null'],
    ['a', Number.POSITIVE_INFINITY, 'finite'],
    ['a', nested(6), 'deeper than 5'],
    ['a', [[[[[[]]]]]], 'deeper than 5'],
    ['a', 'x\0', 'Invalid characters'],
    ['a', { b: '\ud800' }, 'Invalid characters'],
    ['a', { '\ud800': 1 }, 'Invalid characters'],
  ])('%s refuses %j', (name, value, words) => {
    expect(faultOfDataPoint(name, value)).toContain(words)
  })

  test('new values overwrite, and other values stay', () => {
    expect(mergeDataPoints({ a: 1, b: { c: 1, d: 2 } }, { b: { c: 3 }, e: [] })).toEqual({ a: 1, b: { c: 3 }, e: [] })
  })

  test('empty values are not present, but 0 and false are', () => {
    expect(presentDataPoints({ a: '', b: [], c: {}, d: 0, e: false, f: 'x', g: [0] })).toEqual(['d', 'e', 'f', 'g'])
  })

  test('deciding facts are claimed by name', () => {
    const points = {
      signedDelivery: 'https://…',
      liabilityShift: true,
      refundProof: false,
      policyAccepted: '',
      usageAfterPurchase: 0,
    }
    expect(claimedSignals(points)).toEqual(['liability_shift', 'signed_delivery'])
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { REASON_GROUPS } from '../../../domain/chargeback.ts'
import { enrichmentRatio, missingDataPoints, presentFacts } from '../../../domain/enrichment.ts'

const group = fc.constantFrom(...REASON_GROUPS)
const everything = [...new Set(REASON_GROUPS.flatMap((one) => missingDataPoints(one, [])))]

describe('enrichment ratio', () => {
  test.each(REASON_GROUPS)('%s goes from 0 without data to 1 with everything that is asked for', (one) => {
    const asked = missingDataPoints(one, [])
    expect(enrichmentRatio(one, [])).toBe(0)
    expect(enrichmentRatio(one, asked)).toBe(1)
    expect(missingDataPoints(one, asked)).toEqual([])
  })

  test('is weighted: an IP address counts more for fraud than a product name', () => {
    expect(enrichmentRatio('fraud', ['transactionOrderIpAddress'])).toBeGreaterThan(
      enrichmentRatio('fraud', ['transactionOrderItemsProductName']),
    )
  })

  test('unknown data points do not raise it', () => {
    expect(enrichmentRatio('fraud', ['favouriteColour', 'transactionStatus'])).toBe(0)
  })

  test('the same fact under two names counts once', () => {
    expect(enrichmentRatio('fraud', ['transactionCardBin'])).toBe(enrichmentRatio('fraud', ['bin']))
    expect(enrichmentRatio('fraud', ['transactionCardBin', 'bin'])).toBe(enrichmentRatio('fraud', ['bin']))
  })

  test('is within 0 and 1, has four decimals, and more data never lowers it', () => {
    fc.assert(
      fc.property(group, fc.subarray(everything), fc.constantFrom(...everything), (one, present, more) => {
        const ratio = enrichmentRatio(one, present)
        expect(ratio).toBeGreaterThanOrEqual(0)
        expect(ratio).toBeLessThanOrEqual(1)
        expect(Number(ratio.toFixed(4))).toBe(ratio)
        expect(enrichmentRatio(one, new Set([...present, more]))).toBeGreaterThanOrEqual(ratio)
      }),
    )
  })
})

describe('missing data points', () => {
  test('come with the most useful first', () => {
    expect(missingDataPoints('fraud', ['transactionOrderDeviceId']).slice(0, 2)).toEqual([
      'transactionOrderIpAddress',
      'transactionOrderEmail',
    ])
  })
})

describe('facts that count as data points', () => {
  test('are those that are known', () => {
    expect(presentFacts({ bin: '424242', arn: null, billingCountry: 'DE' })).toEqual(['bin', 'billingCountry'])
  })
})

import { describe, expect, test } from 'vitest'
import { outOfScope, type ScopeFacts } from '../../../domain/scope.ts'

const facts: ScopeFacts = {
  paymentMethod: 'apple_pay',
  cardScheme: 'visa',
  lifecycleStage: 'inquiry',
  reasonGroup: 'fraud',
  reasonCode: '10.4',
  amountMinor: 1099n,
  amountExponent: 2,
}

describe('out of scope', () => {
  test('nothing is excluded without a rule', () => {
    expect(outOfScope({}, facts)).toBeNull()
    expect(outOfScope({ cardSchemes: [], reasonCodes: [] }, facts)).toBeNull()
  })

  test.each([
    ['paymentMethods', 'apple_pay'],
    ['cardSchemes', 'visa'],
    ['lifecycleStages', 'inquiry'],
    ['reasonGroups', 'fraud'],
    ['reasonCodes', '10.4'],
  ] as const)('%s excludes what it names', (dimension, value) => {
    expect(outOfScope({ [dimension]: ['something else', value] }, facts)).toEqual({ dimension, value })
  })

  test.each([
    ['paymentMethods', 'Apple_Pay'],
    ['cardSchemes', 'VISA'],
    ['lifecycleStages', 'inquiry '],
    ['reasonGroups', 'frau'],
    ['reasonCodes', '10.40'],
  ] as const)('%s is compared exactly', (dimension, value) => {
    expect(outOfScope({ [dimension]: [value] }, facts)).toBeNull()
  })

  test('one matching dimension is enough', () => {
    expect(outOfScope({ cardSchemes: ['amex'], reasonGroups: ['fraud'] }, facts)).toEqual({
      dimension: 'reasonGroups',
      value: 'fraud',
    })
  })

  test('a value that the chargeback lacks never matches', () => {
    const bare = { ...facts, paymentMethod: null, cardScheme: null, reasonCode: null }
    const rules = { paymentMethods: ['null', ''], cardSchemes: ['null', ''], reasonCodes: ['null', ''] }
    expect(outOfScope(rules, bare)).toBeNull()
  })
})

describe('amounts out of scope', () => {
  test.each([
    ['at the minimum', { min: 10.99 }, false],
    ['below the minimum', { min: 11 }, true],
    ['a fraction of a cent below the minimum', { min: 10.991 }, true],
    ['at the maximum', { max: 10.99 }, false],
    ['above the maximum', { max: 10.98 }, true],
    ['between both', { min: 10, max: 11 }, false],
    ['above a maximum of 0', { max: 0 }, true],
  ])('%s', (_, chargebackAmount, out) => {
    expect(outOfScope({ chargebackAmount }, facts)).toEqual(
      out ? { dimension: 'chargebackAmount', value: '10.99' } : null,
    )
  })

  test('are in the chargeback’s own currency', () => {
    const yen = { ...facts, amountMinor: 1099n, amountExponent: 0 }
    expect(outOfScope({ chargebackAmount: { max: 1000 } }, yen)).toEqual({
      dimension: 'chargebackAmount',
      value: '1099',
    })
  })
})

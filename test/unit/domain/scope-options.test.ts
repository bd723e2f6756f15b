import { describe, expect, test } from 'vitest'
import { REASON_CODES } from '../../../domain/reason-codes.ts'
import { scopeOptions, tidyRules } from '../../../domain/scope-options.ts'

describe('options of scope rules', () => {
  test('every dimension is sorted and contains each word once', () => {
    for (const words of Object.values(scopeOptions(['own', '10.4', 'own'])))
      expect([...new Set(words)].sort()).toEqual(words)
  })

  test('reason codes are those of the networks and those that were seen', () => {
    expect(scopeOptions([]).reasonCodes).toEqual(REASON_CODES)
    expect(scopeOptions(['house_rule']).reasonCodes).toContain('house_rule')
  })
})

describe('stored rules', () => {
  test('have no empty dimension, and contain words sorted and once', () => {
    expect(tidyRules({ cardSchemes: ['visa', 'amex', 'visa'], reasonCodes: [], chargebackAmount: { min: 0 } })).toEqual(
      {
        cardSchemes: ['amex', 'visa'],
        chargebackAmount: { min: 0 },
      },
    )
    expect(tidyRules({})).toEqual({})
  })
})

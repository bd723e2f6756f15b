import { describe, expect, test } from 'vitest'
import { REASON_CODES } from '../../../domain/reason-codes.ts'
import { scopeOptions, tidyRules } from '../../../domain/scope-options.ts'

describe('options of scope rules', () => {
  test('every dimension is sorted and holds each word once', () => {
    for (const words of Object.values(scopeOptions(['own', '10.4', 'own'])))
      expect([...new Set(words)].sort()).toEqual(words)
  })

  test('reason codes are the networks’ and those that were seen', () => {
    expect(scopeOptions([]).reasonCodes).toEqual(REASON_CODES)
    expect(scopeOptions(['house_rule']).reasonCodes).toContain('house_rule')
  })
})

describe('rules as they are kept', () => {
  test('empty dimensions are absent, words sorted and once', () => {
    expect(tidyRules({ cardSchemes: ['visa', 'amex', 'visa'], reasonCodes: [], chargebackAmount: { min: 0 } })).toEqual(
      {
        cardSchemes: ['amex', 'visa'],
        chargebackAmount: { min: 0 },
      },
    )
    expect(tidyRules({})).toEqual({})
  })
})

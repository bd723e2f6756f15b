import { CARD_SCHEMES, LIFECYCLE_STAGES, PAYMENT_METHODS, REASON_GROUPS } from './chargeback.ts'
import { REASON_CODES } from './reason-codes.ts'
import type { ScopeDimension, ScopeRules } from './scope.ts'

/** Dimensions with words as values; the sixth is the amount. */
export type WordDimension = Exclude<ScopeDimension, 'chargebackAmount'>
export const WORD_DIMENSIONS = [
  'paymentMethods',
  'cardSchemes',
  'lifecycleStages',
  'reasonGroups',
  'reasonCodes',
] as const satisfies readonly WordDimension[]

/**
 * Values that are the same for all merchants, sorted. Reason codes are the networks', plus those of the merchant's
 * chargebacks.
 */
export const FIXED_OPTIONS: Readonly<Record<Exclude<WordDimension, 'reasonCodes'>, readonly string[]>> = {
  paymentMethods: [...PAYMENT_METHODS].sort(),
  cardSchemes: [...CARD_SCHEMES].sort(),
  lifecycleStages: [...LIFECYCLE_STAGES].sort(),
  reasonGroups: [...REASON_GROUPS].sort(),
}

/**
 * Allowed values of a merchant's out-of-scope rules (`GET /scope-settings/options`).
 * @param seen reason codes of the merchant's own chargebacks, as stored
 */
export function scopeOptions(seen: readonly string[]): Record<WordDimension, readonly string[]> {
  return { ...FIXED_OPTIONS, reasonCodes: [...new Set([...REASON_CODES, ...seen])].sort() }
}

/** Rules in stored form: each value once, sorted, without empty dimensions. */
export function tidyRules(rules: ScopeRules): ScopeRules {
  const words = WORD_DIMENSIONS.flatMap((dimension) => {
    const values = rules[dimension]
    return values && values.length > 0 ? [[dimension, [...new Set(values)].sort()] as const] : []
  })
  const { chargebackAmount } = rules
  return { ...Object.fromEntries(words), ...(chargebackAmount && { chargebackAmount }) }
}

import { CARD_SCHEMES, LIFECYCLE_STAGES, PAYMENT_METHODS, REASON_GROUPS } from './chargeback.ts'
import { REASON_CODES } from './reason-codes.ts'
import type { ScopeDimension, ScopeRules } from './scope.ts'

/** Dimensions whose values are words; the sixth is the amount. */
export type WordDimension = Exclude<ScopeDimension, 'chargebackAmount'>
export const WORD_DIMENSIONS = [
  'paymentMethods',
  'cardSchemes',
  'lifecycleStages',
  'reasonGroups',
  'reasonCodes',
] as const satisfies readonly WordDimension[]

/** Words that are the same for everybody, sorted. Reason codes are the networks' and those a merchant has met besides. */
export const FIXED_OPTIONS: Readonly<Record<Exclude<WordDimension, 'reasonCodes'>, readonly string[]>> = {
  paymentMethods: [...PAYMENT_METHODS].sort(),
  cardSchemes: [...CARD_SCHEMES].sort(),
  lifecycleStages: [...LIFECYCLE_STAGES].sort(),
  reasonGroups: [...REASON_GROUPS].sort(),
}

/**
 * What out-of-scope rules of a merchant may name (`GET /scope-settings/options`).
 * @param seen reason codes of the merchant's own chargebacks, as they are stored
 */
export function scopeOptions(seen: readonly string[]): Record<WordDimension, readonly string[]> {
  return { ...FIXED_OPTIONS, reasonCodes: [...new Set([...REASON_CODES, ...seen])].sort() }
}

/** Rules as they are kept: each word once, sorted; dimensions that rule nothing out are absent. */
export function tidyRules(rules: ScopeRules): ScopeRules {
  const words = WORD_DIMENSIONS.flatMap((dimension) => {
    const values = rules[dimension]
    return values && values.length > 0 ? [[dimension, [...new Set(values)].sort()] as const] : []
  })
  const { chargebackAmount } = rules
  return { ...Object.fromEntries(words), ...(chargebackAmount && { chargebackAmount }) }
}

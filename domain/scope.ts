import type { CardScheme, LifecycleStage, PaymentMethod, ReasonGroup } from './chargeback.ts'
import { compareAmount, minorToDecimal } from './money.ts'

/** One version of an integration's out-of-scope rules. An absent or empty dimension excludes nothing. */
export interface ScopeRules {
  paymentMethods?: readonly string[]
  cardSchemes?: readonly string[]
  lifecycleStages?: readonly string[]
  reasonGroups?: readonly string[]
  reasonCodes?: readonly string[]
  /** In major units of the chargeback's own currency. */
  chargebackAmount?: { min?: number; max?: number }
}

export const SCOPE_DIMENSIONS = [
  'paymentMethods',
  'cardSchemes',
  'lifecycleStages',
  'reasonGroups',
  'reasonCodes',
  'chargebackAmount',
] as const
export type ScopeDimension = (typeof SCOPE_DIMENSIONS)[number]

export interface ScopeFacts {
  paymentMethod: PaymentMethod | null
  cardScheme: CardScheme | null
  lifecycleStage: LifecycleStage
  reasonGroup: ReasonGroup
  reasonCode: string | null
  amountMinor: bigint
  amountExponent: number
}

/**
 * The first dimension that takes a chargeback out of scope, with the chargeback's value; null when none does
 * (docs/interface.md#out-of-scope-rules). Words are compared exactly, case included; amounts exactly, strictly below
 * the minimum or strictly above the maximum. A missing value never matches.
 */
export function outOfScope(rules: ScopeRules, facts: ScopeFacts): { dimension: ScopeDimension; value: string } | null {
  const words: readonly [Exclude<ScopeDimension, 'chargebackAmount'>, string | null][] = [
    ['paymentMethods', facts.paymentMethod],
    ['cardSchemes', facts.cardScheme],
    ['lifecycleStages', facts.lifecycleStage],
    ['reasonGroups', facts.reasonGroup],
    ['reasonCodes', facts.reasonCode],
  ]
  for (const [dimension, value] of words)
    if (value !== null && rules[dimension]?.includes(value)) return { dimension, value }

  const { min, max } = rules.chargebackAmount ?? {}
  const { amountMinor, amountExponent } = facts
  const tooSmall = min !== undefined && compareAmount(amountMinor, amountExponent, min) < 0
  const tooLarge = max !== undefined && compareAmount(amountMinor, amountExponent, max) > 0
  if (!tooSmall && !tooLarge) return null
  return { dimension: 'chargebackAmount', value: minorToDecimal(amountMinor, amountExponent) }
}

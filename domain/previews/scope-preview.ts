import { type Decided, ruleInReason } from '../decision.ts'
import { minorToDecimal } from '../money.ts'
import type { ScopeDimension } from '../scope.ts'

/** A chargeback before the change, as stored. */
export interface PreviewedChargeback {
  id: string
  status: string
  statusReason: string
  atWork: Decided['atWork']
  dueDate: Date | null
  currency: string
  amountMinor: bigint
  amountExponent: number
}

/** The decision under the changed rules. */
export interface PreviewedDecision {
  status: string
  reason: string
}

export interface Total {
  count: number
  /** One sum for each currency, in alphabetical order; decimals without rounding. */
  amounts: { currency: string; amount: string }[]
}

/** Either a rule, or the sentence of another reason. The dimension `chargebackAmount` has no value. */
export type Why = { dimension: ScopeDimension; value?: string } | { reason: string }

export interface Share extends Total {
  /** Most chargebacks first. */
  reasons: (Why & Total)[]
  /** At most `EXAMPLES` ids: latest due date first, those without one last. */
  examples: string[]
}

/** `leaves`: out of scope or set aside from now on; `returns`: handled from now on; `untouched`: the others. */
export type ScopePreview = Record<'leaves' | 'returns' | 'untouched', Share>

export const EXAMPLES = 20
const AT_WORK = {
  acceptance: 'An acceptance is in progress.',
  evidence_submission: 'An evidence submission is in progress.',
} as const

/**
 * Counts what changed rules would do to chargebacks, one after the other. Its memory depends on the number of rules and
 * currencies only.
 */
export function createScopePreview() {
  const shares = { leaves: createShare(), returns: createShare(), untouched: createShare() }
  return {
    add(before: PreviewedChargeback, after: PreviewedDecision): void {
      const movement = movementOf(before.status, after.status)
      shares[movement].add(before, whyOf(movement, before, after))
    },
    read(): ScopePreview {
      const { leaves, returns, untouched } = shares
      return { leaves: leaves.read(), returns: returns.read(), untouched: untouched.read() }
    },
  }
}

const isHandled = (status: string) => status === 'waiting_for_data' || status === 'building_evidence'

function movementOf(before: string, after: string): keyof ScopePreview {
  if (isHandled(before) && after === 'not_represented') return 'leaves'
  return before === 'not_represented' && isHandled(after) ? 'returns' : 'untouched'
}

/** Of one that returns: why it was set aside until now. Of the others: the reason of their status after the change. */
function whyOf(movement: keyof ScopePreview, before: PreviewedChargeback, after: PreviewedDecision): Why {
  if (before.atWork) return { reason: AT_WORK[before.atWork] }
  const reason = movement === 'returns' ? before.statusReason : after.reason
  const rule = ruleInReason(reason)
  if (!rule) return { reason }
  const { dimension, value } = rule
  return dimension === 'chargebackAmount' ? { dimension } : { dimension, value }
}

function createShare() {
  const total = createTotal()
  const reasons = new Map<string, { why: Why; total: ReturnType<typeof createTotal> }>()
  const examples: PreviewedChargeback[] = []
  return {
    add(chargeback: PreviewedChargeback, why: Why): void {
      total.add(chargeback)
      const key = JSON.stringify(why)
      const known = reasons.get(key) ?? { why, total: createTotal() }
      reasons.set(key, known)
      known.total.add(chargeback)
      const last = examples[EXAMPLES - 1]
      if (last && byDueDate(chargeback, last) > 0) return
      examples.push(chargeback)
      examples.sort(byDueDate).splice(EXAMPLES)
    },
    read: (): Share => ({
      ...total.read(),
      reasons: [...reasons]
        .sort(([a, one], [b, other]) => other.total.count() - one.total.count() || (a < b ? -1 : 1))
        .map(([, one]) => ({ ...one.why, ...one.total.read() })),
      examples: examples.map(({ id }) => id),
    }),
  }
}

/** Latest first, no date last; then the newest id. */
function byDueDate(a: PreviewedChargeback, b: PreviewedChargeback): number {
  const [one, other] = [a.dueDate?.getTime() ?? -Infinity, b.dueDate?.getTime() ?? -Infinity]
  if (one !== other) return one > other ? -1 : 1
  return a.id > b.id ? -1 : 1
}

/** The largest exponent of a currency: PSPs deviate, so one currency may arrive with different exponents. */
const EXPONENT = 4

function createTotal() {
  let count = 0
  const sums = new Map<string, bigint>()
  return {
    add({ currency, amountMinor, amountExponent }: PreviewedChargeback): void {
      count++
      sums.set(currency, (sums.get(currency) ?? 0n) + amountMinor * 10n ** BigInt(EXPONENT - amountExponent))
    },
    count: () => count,
    read: (): Total => ({
      count,
      amounts: [...sums]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([currency, sum]) => ({ currency, amount: minorToDecimal(sum, EXPONENT) })),
    }),
  }
}

import type { AnswerStages } from '../evidence/answer-stages.ts'
import { type AutomaticPolicy, automaticTimes } from '../evidence/package/automatic-policy.ts'
import { type AutomaticFacts, type Blocker, blockersOf } from '../evidence/package/blockers.ts'
import { minorToDecimal } from '../money.ts'

/** A chargeback that waits for a response. */
export interface PolicySubject {
  id: string
  psp: string
  facts: AutomaticFacts
  contestStages: AnswerStages
}

export interface PolicyTotal {
  count: number
  /** Sums in units of their currencies, as text. */
  amounts: { currency: string; amount: string }[]
}

/** What a policy would do with the chargebacks that wait for a response, as they are now. */
export interface PolicyPreview {
  submits: PolicyTotal & { nextAt?: string }
  /** By the first thing that stops each of them, most of them first. */
  blocked: (PolicyTotal & { code: Blocker })[]
}

/** Each chargeback is counted once. Sums are exact: minor units are added, by currency and its digits. */
export function previewPolicy(subjects: Iterable<PolicySubject>, policy: AutomaticPolicy, now: Date): PolicyPreview {
  const submits = totals()
  const blocked = new Map<Blocker, ReturnType<typeof totals>>()
  let next: Date | undefined
  for (const { id, psp, facts, contestStages } of subjects) {
    const [code] = blockersOf(facts, policy, contestStages, now)
    if (code === undefined) {
      submits.add(facts)
      const at = automaticTimes({ id, psp, dueDate: facts.dueDate }, policy)?.submittedAt
      if (at && (next === undefined || at < next)) next = at
    } else {
      const share = blocked.get(code) ?? totals()
      blocked.set(code, share)
      share.add(facts)
    }
  }
  return {
    submits: { ...submits.read(), ...(next && { nextAt: next.toISOString() }) },
    blocked: [...blocked]
      .map(([code, share]) => ({ code, ...share.read() }))
      .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1)),
  }
}

function totals() {
  let count = 0
  const sums = new Map<string, { currency: string; exponent: number; minor: bigint }>()
  return {
    add({ currency, amountMinor, amountExponent: exponent }: AutomaticFacts) {
      count++
      const key = `${currency} ${exponent}`
      const sum = sums.get(key) ?? { currency, exponent, minor: 0n }
      sums.set(key, { ...sum, minor: sum.minor + BigInt(amountMinor) })
    },
    read: (): PolicyTotal => ({
      count,
      amounts: [...sums.entries()]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, { currency, exponent, minor }]) => ({ currency, amount: minorToDecimal(minor, exponent) })),
    }),
  }
}

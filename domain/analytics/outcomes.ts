import { minorToDecimal } from '../money.ts'

/** Decided numbers or amounts. */
export interface Outcomes {
  won: bigint
  lost: bigint
  split: bigint
}

/** Share won of what was decided, 0 to 1 with four digits; a split one is half won and half lost. Undefined when nothing was. */
export function winRate({ won, lost, split }: Outcomes): number | undefined {
  const decided = won + lost + split
  if (decided <= 0n) return undefined
  return Number(((2n * won + split) * 10_000n + decided) / (2n * decided)) / 10_000
}

/** The day below which times to decision are kept exactly; from it on they are kept by seven days (migration 0035). */
const EXACT_DAYS = 14

/** The median of days; from 14 on the middle of its seven days. Undefined without any. */
export function medianDays(counts: readonly { days: number; count: bigint }[]): number | undefined {
  const total = counts.reduce((sum, { count }) => sum + count, 0n)
  let below = 0n
  for (const { days, count } of [...counts].sort((a, b) => a.days - b.days)) {
    below += count
    if (2n * below >= total && count > 0n) return days < EXACT_DAYS ? days : days + 3
  }
  return undefined
}

/** Adds amounts of one currency whose minor units may have different exponents. */
export function sumOfAmounts(amounts: readonly { minor: bigint; exponent: number }[]): bigint {
  return amounts.reduce((sum, { minor, exponent }) => sum + minor * 10n ** BigInt(4 - exponent), 0n)
}

/** In units of the currency, from a sum of `sumOfAmounts`. */
export const inUnits = (sum: bigint): number => Number(minorToDecimal(sum, 4))

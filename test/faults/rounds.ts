import type { AnyCell } from './cells.ts'
import type { SuiteOutcome } from './suites.ts'

/** Bouts by seed: each seed is a round of its own. */
export function roundsOf<C extends AnyCell>(groups: readonly C[][]): C[][][] {
  const rounds = new Map<number, C[][]>()
  for (const group of groups) {
    const seed = group[0]?.seed ?? 0
    rounds.set(seed, [...(rounds.get(seed) ?? []), group])
  }
  return [...rounds.values()]
}

/** Runs them on grounds of their own, `sideBySide` at a time: a round waits for most of its time. */
export async function runRounds<C extends AnyCell>(
  rounds: readonly C[][][],
  sideBySide: number,
  run: (round: C[][]) => Promise<SuiteOutcome[]>,
): Promise<SuiteOutcome[]> {
  const waiting = [...rounds]
  const outcomes: SuiteOutcome[] = []
  const lane = async () => {
    for (let round = waiting.shift(); round; round = waiting.shift()) outcomes.push(...(await run(round)))
  }
  const lanes = await Promise.allSettled(Array.from({ length: sideBySide }, lane))
  for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason
  return [...outcomes.filter(({ cell }) => cell), ...inSum(outcomes.filter(({ cell }) => !cell))]
}

/** What each round tells about itself as a whole, told once; what was wrong in any of them is. */
function inSum(outcomes: readonly SuiteOutcome[]): SuiteOutcome[] {
  const sums = new Map<string, SuiteOutcome>()
  for (const one of outcomes) {
    const sum = sums.get(one.name)
    if (!sum) sums.set(one.name, one)
    else if (sum.result === 'passed' && one.result === 'failed') sums.set(one.name, one)
    else if (sum.result === one.result) sums.set(one.name, { ...sum, why: [...new Set([...sum.why, ...one.why])] })
  }
  return [...sums.values()]
}

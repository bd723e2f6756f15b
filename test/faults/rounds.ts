import { type AnyCell, nameOf } from './cells.ts'
import type { SuiteOptions } from './report/suite-options.ts'
import type { SuiteOutcome } from './report/suite-outcome.ts'

/** Bouts by seed: each seed is a round of its own. */
export function roundsOf<C extends AnyCell>(groups: readonly C[][]): C[][][] {
  const rounds = new Map<number, C[][]>()
  for (const group of groups) {
    const seed = group[0]?.seed ?? 0
    rounds.set(seed, [...(rounds.get(seed) ?? []), group])
  }
  return [...rounds.values()]
}

/**
 * Runs them on grounds of their own, `sideBySide` at a time: a round waits for most of its time. One that breaks down
 * has failed as a whole, and costs no other.
 */
export async function runRounds<C extends AnyCell>(
  rounds: readonly C[][][],
  { sideBySide = 1, journal, told }: SuiteOptions,
  run: (round: C[][]) => Promise<SuiteOutcome[]>,
): Promise<SuiteOutcome[]> {
  const waiting = [...rounds]
  const outcomes: SuiteOutcome[] = []
  const through = async (round: C[][]) => {
    const cells = round.flat()
    const earlier = journal?.recall(cells)
    if (earlier) {
      told?.(`  seed ${cells[0]?.seed}: ${earlier.length} results of an earlier run`)
      return earlier
    }
    try {
      const ended = await run(round)
      journal?.keep(cells, ended)
      return ended
    } catch (error) {
      const why = [(error as Error).message]
      told?.(`  BROKE DOWN: seed ${cells[0]?.seed}, ${cells.length} cells: ${why[0]}`)
      return cells.map((cell): SuiteOutcome => ({ name: nameOf(cell), cell, result: 'failed', why }))
    }
  }
  const lane = async () => {
    for (let round = waiting.shift(); round; round = waiting.shift()) outcomes.push(...(await through(round)))
  }
  await Promise.all(Array.from({ length: sideBySide }, lane))
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

import { type AnyCell, nameOf } from './cells.ts'
import type { SuiteOptions } from './report/suite-options.ts'
import type { SuiteOutcome } from './report/suite-outcome.ts'

/** Groups by seed: each seed is one round. */
export function roundsOf<C extends AnyCell>(groups: readonly C[][]): C[][][] {
  const rounds = new Map<number, C[][]>()
  for (const group of groups) {
    const seed = group[0]?.seed ?? 0
    rounds.set(seed, [...(rounds.get(seed) ?? []), group])
  }
  return [...rounds.values()]
}

/**
 * Runs each round in its own environment, `sideBySide` at a time, because a round mostly waits. A round that throws has
 * failed as a whole and affects no other.
 */
export async function runRounds<C extends AnyCell>(
  rounds: readonly C[][][],
  { sideBySide = 1, journal, print }: SuiteOptions,
  run: (round: C[][]) => Promise<SuiteOutcome[]>,
): Promise<SuiteOutcome[]> {
  const waiting = [...rounds]
  const outcomes: SuiteOutcome[] = []
  const runRecorded = async (round: C[][]) => {
    const cells = round.flat()
    const earlier = journal?.recall(cells)
    if (earlier) {
      print?.(`  seed ${cells[0]?.seed}: ${earlier.length} results of an earlier run`)
      return earlier
    }
    try {
      const ended = await run(round)
      journal?.keep(cells, ended)
      return ended
    } catch (error) {
      const why = [(error as Error).message]
      print?.(`  ABORTED: seed ${cells[0]?.seed}, ${cells.length} cells: ${why[0]}`)
      return cells.map((cell): SuiteOutcome => ({ name: nameOf(cell), cell, result: 'failed', why }))
    }
  }
  const lane = async () => {
    for (let round = waiting.shift(); round; round = waiting.shift()) outcomes.push(...(await runRecorded(round)))
  }
  await Promise.all(Array.from({ length: sideBySide }, lane))
  return [...outcomes.filter(({ cell }) => cell), ...mergeSummaries(outcomes.filter(({ cell }) => !cell))]
}

/** Merges the summaries of all rounds: one outcome each, failed if it failed in any round. */
function mergeSummaries(outcomes: readonly SuiteOutcome[]): SuiteOutcome[] {
  const sums = new Map<string, SuiteOutcome>()
  for (const one of outcomes) {
    const sum = sums.get(one.name)
    if (!sum) sums.set(one.name, one)
    else if (sum.result === 'passed' && one.result === 'failed') sums.set(one.name, one)
    else if (sum.result === one.result) sums.set(one.name, { ...sum, why: [...new Set([...sum.why, ...one.why])] })
  }
  return [...sums.values()]
}

import { findPlanted, seededBugs } from '../faults/seeded-bugs.ts'

/**
 * Runs lives in a copy of the source tree with a seeded bug, for each bug that lives can show: the model must find it.
 * @returns how many it did not find
 */
export function livePlanted(told: (sentence: string) => void): number {
  let missed = 0
  for (const { name, bug, file, simulation } of seededBugs()) {
    if (!simulation) continue
    const args = ['--import', 'tsx', 'test/simulation/main.ts', ...simulation.args, '--first']
    const why = findPlanted(file, args, simulation.says)
    if (why !== null) missed++
    told(`${name}: ${bug} ${why ?? `Found: ${simulation.says}.`}`)
  }
  return missed
}

import { findPlanted, seededBugs } from '../faults/seeded-bugs.ts'

/**
 * Lives in a copy of the tree that has a bug in it, for each seeded bug that lives can show: the model has to see it.
 * @returns how many it did not see
 */
export function livePlanted(told: (sentence: string) => void): number {
  let unseen = 0
  for (const { name, bug, file, simulation } of seededBugs()) {
    if (!simulation) continue
    const args = ['--import', 'tsx', 'test/simulation/main.ts', ...simulation.args, '--first']
    const why = findPlanted(file, args, simulation.says)
    if (why !== null) unseen++
    told(`${name}: ${bug} ${why ?? `Found: ${simulation.says}.`}`)
  }
  return unseen
}

import {
  type Cell,
  type FaultName,
  isWanted,
  nameOf,
  type Outcome,
  type Selection,
  STRIKES,
  seedsOf,
} from '../cells.ts'
import { ADAPTERS, contestOf } from '../testbed/psps.ts'
import { PACKAGE_STEPS, type PackageStep } from './package-steps.ts'

export type PackageCell = Cell<PackageStep>

/** Faults that can hit a build or a sweep: none of the API, which has no part in them. */
const PACKAGE_STRIKES: readonly FaultName[] = STRIKES.filter((one) => !one.startsWith('api:'))

/** Cells of packages, grouped by fault and by what can be held at once. Impossible cells are skipped with a reason. */
export function packageCells(selection: Selection): { groups: PackageCell[][]; skipped: Outcome<PackageCell>[] } {
  const { cell: only } = selection
  const groups: PackageCell[][] = []
  const skipped: Outcome<PackageCell>[] = []
  const adapters = selection.adapters ?? ADAPTERS
  for (const seed of seedsOf(selection))
    for (const [turn, strike] of PACKAGE_STRIKES.entries()) {
      if (!isWanted(strike, selection)) continue
      const wanted: PackageCell[] = []
      for (const [index, step] of PACKAGE_STEPS.entries()) {
        const all = adapters.map((adapter) => ({ strike, step, adapter, seed }))
        const possible = all.filter(({ adapter }) => step.impossible(contestOf(adapter)) === null)
        for (const cell of only ? [] : all.filter((one) => !possible.includes(one)))
          skipped.push({ cell, result: 'skipped', why: [step.impossible(contestOf(cell.adapter)) ?? ''] })
        // As in `npm run test:full`: one fault, one adapter at every second step that only packages have.
        const inTurn = possible[index % Math.max(1, possible.length)]
        const chosen = selection.reduced
          ? possible.filter((cell) => turn === 0 && step.together < 40 && index % 2 === 0 && cell === inTurn)
          : possible
        wanted.push(...chosen.filter((cell) => !only || nameOf(cell) === only))
      }
      groups.push(...together(wanted))
    }
  if (groups.length === 0) throw new Error(`there is no cell ${only ?? `of the victim ${selection.victim}`}`)
  return { groups, skipped }
}

/** Builds with builds, commands with commands; sweeps alone. */
function together(cells: readonly PackageCell[]): PackageCell[][] {
  return [1, 2, 40].flatMap((most) => {
    const own = cells.filter(({ step }) => step.together === most)
    return Array.from({ length: Math.ceil(own.length / most) }, (_, part) => own.slice(part * most, (part + 1) * most))
  })
}

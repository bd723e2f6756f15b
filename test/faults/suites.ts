import { ambiguousCells, spoilOnce } from './ambiguous.ts'
import { bouts, type Cell, crashCells, type Outcome, type Selection } from './cells.ts'
import { strikeOnce } from './crash.ts'
import { type Ground, prepareGround } from './ground.ts'

export interface SuiteOptions extends Selection {
  told?(outcomes: readonly Outcome[], ms: number): void
}

interface Suite {
  title: string
  byDefault: boolean
  run(options: SuiteOptions): Promise<Outcome[]>
}

export type SuiteName = 'crash' | 'ambiguous'

export const SUITES: Record<SuiteName, Suite> = {
  crash: {
    title: 'processes and servers killed, ended, frozen while commands are at every step',
    byDefault: true,
    run: crash,
  },
  ambiguous: {
    title: 'answers of the PSP that leave in doubt what happened, at every request',
    byDefault: true,
    run: ambiguous,
  },
}

async function crash(options: SuiteOptions): Promise<Outcome[]> {
  const { cells, skipped } = crashCells(options)
  await using ground = await groundFor(cells)
  return [...skipped, ...(await inBouts(ground, bouts(cells, options.reduced), options, strikeOnce))]
}

async function ambiguous(options: SuiteOptions): Promise<Outcome[]> {
  const { groups, skipped } = ambiguousCells(options)
  await using ground = await groundFor(groups.flat())
  return [...skipped, ...(await inBouts(ground, groups, options, spoilOnce))]
}

/** Each bout tells its outcomes as it ends. */
async function inBouts(
  ground: Ground,
  all: readonly Cell[][],
  { told }: SuiteOptions,
  strike: (ground: Ground, cells: readonly Cell[]) => Promise<Outcome[]>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const cells of all) {
    const began = Date.now()
    const ended = await strike(ground, cells)
    told?.(ended, Date.now() - began)
    outcomes.push(...ended)
  }
  return outcomes
}

/** A ground with a chargeback for each cell. */
export async function groundFor(cells: readonly Cell[]): Promise<Ground> {
  const disputes: Partial<Record<Cell['adapter'], number>> = {}
  for (const { adapter } of cells) disputes[adapter] = (disputes[adapter] ?? 0) + 1
  return prepareGround({ disputes })
}

import { ambiguousCells, spoilOnce } from './ambiguous.ts'
import { type AnyCell, bouts, type Cell, crashCells, nameOf, type Outcome, type Selection } from './cells.ts'
import { setClocksWrong } from './clock.ts'
import { strikeOnce } from './crash.ts'
import { DEADLINES_ENV, openDeadlines } from './deadlines.ts'
import { strikeResources } from './disk.ts'
import { type Ground, prepareGround } from './ground.ts'
import { ingestionCells, prepareIngestion, strikePolls } from './ingestion.ts'
import { backTo, type Footprint, footprintOf } from './invariants/baseline.ts'
import { totalsTrue } from './invariants/totals.ts'
import { tracesOf } from './invariants/traces.ts'
import { troubleOnce } from './net.ts'
import { notifyAll } from './notifications.ts'
import { poisonOnce } from './poison.ts'
import { recover } from './recovery.ts'
import { boutOf, failuresOf } from './report.ts'
import { plantBugs } from './seeded-bugs.ts'
import { breakUploads } from './uploads.ts'

export interface SuiteOptions extends Selection {
  /** Hears of each step as it ends, a line at a time. */
  told?(line: string): void
}

/** A cell, a bug, a kind of poison or a figure, and what came of it. */
export interface SuiteOutcome {
  name: string
  result: Outcome['result']
  why: string[]
  /** What is known about a failure. */
  story?: string[]
  /** Says what the name stands for, where it doesn't. */
  title?: string
  /** Where it stands in the table of its suite. */
  place?: { row: string; column: string }
  cell?: AnyCell
}

export interface Suite {
  title: string
  /** Runs when no suite is named. */
  byDefault: boolean
  run(options: SuiteOptions): Promise<SuiteOutcome[]>
}

/** Forty commands wait for each other: the first must still stand before its request when the last has come. */
const PATIENT = { RECOUP_COMMAND_TIMEOUT_MS: '30000' }

export const SUITES = {
  crash: {
    title: 'processes and servers killed, ended, frozen while commands are at every step',
    byDefault: true,
    async run(options) {
      const { cells, skipped } = crashCells(options)
      return inBouts(cells, bouts(cells), skipped, options, strikeOnce)
    },
  },
  ambiguous: {
    title: 'answers of the PSP that leave in doubt what happened, at every request',
    byDefault: true,
    async run(options) {
      const { groups, skipped } = ambiguousCells(options)
      return inBouts(groups.flat(), groups, skipped, options, spoilOnce, options.reduced ? {} : PATIENT)
    },
  },
  deadlines: {
    title: 'due dates that pass, humans at the PSP’s dashboard, uploads that break off',
    byDefault: true,
    async run(options) {
      const { cells, groups, skipped, strike } = openDeadlines(options)
      const struck = cells.length > 0 ? await inBouts(cells, groups, skipped, options, strike, DEADLINES_ENV) : []
      return [...struck, ...(await breakUploads(options))]
    },
  },
  ingestion: {
    title: 'worker, Temporal and Postgres struck while polls are at every step of a page, and Temporal wiped',
    byDefault: true,
    async run(options) {
      const { groups, skipped } = ingestionCells(options)
      return inBouts(groups.flat(), groups, skipped, options, strikePolls, {}, () => prepareIngestion(options))
    },
  },
  net: {
    title: 'trouble on the way to a PSP that lists its disputes, and to our own servers',
    byDefault: true,
    run: troubleOnce,
  },
  notifications: {
    title: 'what PSPs deliver comes often, late, early, in another order, forged, in a flood',
    byDefault: true,
    async run(options) {
      await using ground = await prepareIngestion(options)
      const outcomes = await notifyAll(ground, options)
      return [...outcomes, ...(await left(ground, options.told))]
    },
  },
  poison: {
    title: 'one bad object among thousands costs that one object, visibly',
    byDefault: true,
    run: poisonOnce,
  },
  clock: {
    title: 'worker, API or both with a clock that is an hour or a day off',
    byDefault: true,
    run: (options) => setClocksWrong(options, left),
  },
  disk: {
    title: 'no room, no descriptors, no memory, failing I/O: Postgres, API and worker at their limits',
    byDefault: true,
    run: (options) => strikeResources(options, left),
  },
  recovery: {
    title: 'how long it takes until everything works again',
    byDefault: true,
    run: recover,
  },
  'seeded-bugs': {
    title: 'bugs planted in a copy of the tree: the fault tests have to find each of them',
    byDefault: false,
    run: plantBugs,
  },
} satisfies Record<string, Suite>
export type SuiteName = keyof typeof SUITES

/** Both on one ground, as `npm test` has them: making a ground takes longer than the few cells. */
export async function crashAndDeadlines(options: SuiteOptions): Promise<SuiteOutcome[]> {
  const { cells, skipped } = crashCells(options)
  const late = openDeadlines(options)
  const strike = (ground: Ground, group: readonly Cell[]) =>
    late.cells.includes(group[0] as Cell) ? late.strike(ground, group) : strikeOnce(ground, group)
  return inBouts([...cells, ...late.cells], [...bouts(cells), ...late.groups], skipped, options, strike)
}

/** Each bout tells its outcomes as it ends. */
async function inBouts<C extends AnyCell>(
  cells: readonly C[],
  groups: readonly C[][],
  skipped: readonly Outcome<C>[],
  { told }: SuiteOptions,
  strike: (ground: Ground, cells: readonly C[]) => Promise<Outcome<C>[]>,
  env: Record<string, string> = {},
  prepare = () => groundFor(cells, env),
): Promise<SuiteOutcome[]> {
  const outcomes = [...skipped]
  await using ground = await prepare()
  const before = cells.some(({ step }) => step.command !== 'ingestion') ? await footprintOf(ground) : null
  for (const group of groups) {
    const began = Date.now()
    const ended = await strike(ground, group)
    told?.(boutOf(ended, Date.now() - began))
    for (const line of failuresOf(ended)) told?.(line)
    outcomes.push(...ended)
  }
  const struck = outcomes.map(({ cell, ...rest }) => ({ name: nameOf(cell), cell, ...rest }))
  return [...struck, ...(await comeToRest(ground, cells, before, told)), ...(await left(ground, told))]
}

/** Sums, where the PSP's truth is ours alone to change or to read; and what is held and runs, after commands. */
async function comeToRest(
  ground: Ground,
  cells: readonly AnyCell[],
  before: Footprint | null,
  told: SuiteOptions['told'],
): Promise<SuiteOutcome[]> {
  const outcomes: SuiteOutcome[] = []
  const alone = cells.filter((cell) => cell.alone)
  if (alone.length < cells.length) {
    const wrong = await totalsTrue(ground, { polled: alone.length > 0 })
    outcomes.push(inSum(told, 'I9', 'sums by currency and status are those of the PSPs', wrong))
  }
  if (before) {
    const { broken, told: sizes } = await backTo(before, ground)
    outcomes.push(inSum(told, 'I14', 'descriptors, memory and open runs are back where they were', broken, sizes))
  }
  return outcomes
}

/** What all of them together left behind. */
async function left(ground: Ground, told: SuiteOptions['told']): Promise<SuiteOutcome[]> {
  const { leaks, unrepeatable } = await tracesOf(ground)
  return [
    inSum(told, 'I12', 'no secret and no person in plain text in logs, tables, histories', leaks),
    inSum(told, 'I15', 'the histories replay without a determinism error', unrepeatable),
  ]
}

/** `sizes` are worth telling when nothing is broken, too. */
function inSum(
  told: SuiteOptions['told'],
  name: string,
  title: string,
  broken: string[],
  sizes: string[] = [],
): SuiteOutcome {
  const why = [...broken, ...sizes]
  told?.(`  ${name}, ${title}: ${why.join('; ') || 'yes'}`)
  return { name, title, result: broken.length > 0 ? 'failed' : 'passed', why }
}

/** A ground with a chargeback for each cell. */
async function groundFor(cells: readonly AnyCell[], env: Record<string, string>): Promise<Ground> {
  const disputes: Partial<Record<Cell['adapter'], number>> = {}
  const twoDocuments = cells.filter(({ step }) => step.twoDocuments).length
  for (const { adapter, step } of cells) disputes[adapter] = (disputes[adapter] ?? 0) + (step.twoDocuments ? 0 : 1)
  return prepareGround({ disputes, twoDocuments, env })
}

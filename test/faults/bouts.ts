import { isAlive } from '../../local/processes.ts'
import { upload } from '../harness/rows.ts'
import { samplePdf } from '../harness/sample-files.ts'
import { type AnyCell, type Cell, nameOf, needsFree, type Outcome } from './cells.ts'
import { type Ground, prepareGround } from './ground/prepare.ts'
import { backTo, type Footprint, footprintOf } from './invariants/baseline.ts'
import { totalsTrue } from './invariants/totals.ts'
import { tracesOf } from './invariants/traces.ts'
import { boutOf, failuresOf } from './report/report.ts'
import type { SuiteOptions } from './report/suite-options.ts'
import type { SuiteOutcome } from './report/suite-outcome.ts'
import { roundsOf, runRounds } from './rounds.ts'

/** What strikes cells, and where. */
interface Bouts<C extends AnyCell> {
  /** Cells that are struck together, of one seed each. */
  groups: readonly C[][]
  skipped: readonly Outcome<C>[]
  strike(ground: Ground, cells: readonly C[]): Promise<Outcome<C>[]>
  env?: Record<string, string>
  /** Else a ground with a chargeback for each cell. */
  prepare?(): Promise<Ground>
}

/** One bout after the other, each seed's on a ground of its own. Each tells its outcomes as it ends. */
export async function runBouts<C extends AnyCell>(
  { groups, skipped, strike, env = {}, prepare }: Bouts<C>,
  options: SuiteOptions,
): Promise<SuiteOutcome[]> {
  const { told } = options
  const struck = await runRounds(roundsOf(groups), options, async (round) => {
    const cells = round.flat()
    await using ground = await (prepare?.() ?? groundFor(cells, env))
    const before = cells.some(({ step }) => step.command !== 'ingestion') ? await footprintAtWork(ground) : null
    const outcomes: SuiteOutcome[] = []
    for (const group of round) {
      const began = Date.now()
      const gone = endedIn(ground)
      if (gone.length > 0) throw new Error(`${gone.join(' and ')} had ended before anybody struck`)
      const ended = await strike(ground, group)
      told?.(boutOf(ended, Date.now() - began))
      for (const line of failuresOf(ended)) told?.(line)
      outcomes.push(...ended.map(named))
    }
    return [...outcomes, ...(await comeToRest(ground, cells, before, told)), ...(await left(ground, told))]
  })
  return [...skipped.map(named), ...struck]
}

/** Whoever should run, and doesn't: every cell after that would wait for nobody. */
function endedIn({ api, worker }: Ground): string[] {
  return Object.entries({ api, worker }).flatMap(([name, { child }]) => (isAlive(child.pid) ? [] : [`the ${name}`]))
}

/** The thread that checks files starts with the first one, and stays. */
export async function footprintAtWork(ground: Ground): Promise<Footprint> {
  await upload(ground.stack, samplePdf())
  return footprintOf(ground)
}

const named = <C extends AnyCell>({ cell, ...rest }: Outcome<C>): SuiteOutcome => ({
  ...{ name: nameOf(cell), cell },
  ...rest,
})

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
    // Of two chargebacks of one dispute the one that was not answered is read again, too.
    const polled = alone.length > 0 || cells.some(needsFree)
    const wrong = await totalsTrue(ground, { polled })
    outcomes.push(inSum(told, 'I9', 'sums by currency and status are those of the PSPs', wrong))
  }
  if (before) {
    const { broken, told: sizes } = await backTo(before, ground)
    outcomes.push(inSum(told, 'I14', 'descriptors, memory and open runs are back where they were', broken, sizes))
  }
  return outcomes
}

/** What all of them together left behind. */
export async function left(ground: Ground, told: SuiteOptions['told']): Promise<SuiteOutcome[]> {
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
  for (const cell of cells) {
    const { adapter, step } = cell
    disputes[adapter] = (disputes[adapter] ?? 0) + (step.twoDocuments ? 0 : 1) + (needsFree(cell) ? 1 : 0)
  }
  return prepareGround({ disputes, twoDocuments, env })
}

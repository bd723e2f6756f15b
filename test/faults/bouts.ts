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

/** How faults are injected into cells, and where. */
interface Bouts<C extends AnyCell> {
  /** Cells that one fault hits together. All cells of a group have one seed. */
  groups: readonly C[][]
  skipped: readonly Outcome<C>[]
  strike(ground: Ground, cells: readonly C[]): Promise<Outcome<C>[]>
  env?: Record<string, string>
  /** Default: an environment with a chargeback for each cell. */
  prepare?(): Promise<Ground>
}

/** Runs groups one after the other, each seed in its own environment. Reports a group's outcomes when it ends. */
export async function runBouts<C extends AnyCell>(
  { groups, skipped, strike, env = {}, prepare }: Bouts<C>,
  options: SuiteOptions,
): Promise<SuiteOutcome[]> {
  const { told } = options
  const ran = await runRounds(roundsOf(groups), options, async (round) => {
    const cells = round.flat()
    await using ground = await (prepare?.() ?? groundFor(cells, env))
    const before = cells.some(({ step }) => step.command !== 'ingestion') ? await footprintAtWork(ground) : null
    const outcomes: SuiteOutcome[] = []
    for (const group of round) {
      const began = Date.now()
      const dead = endedIn(ground)
      if (dead.length > 0) throw new Error(`${dead.join(' and ')} had ended before a fault was injected`)
      const ended = await strike(ground, group)
      told?.(boutOf(ended, Date.now() - began))
      for (const line of failuresOf(ended)) told?.(line)
      outcomes.push(...ended.map(named))
    }
    return [...outcomes, ...(await checkAfterwards(ground, cells, before, told)), ...(await left(ground, told))]
  })
  return [...skipped.map(named), ...ran]
}

/** Processes that should run and don't: every later cell would wait for them in vain. */
function endedIn({ api, worker }: Ground): string[] {
  return Object.entries({ api, worker }).flatMap(([name, { child }]) => (isAlive(child.pid) ? [] : [`the ${name}`]))
}

/** Uploads a file first, because the thread that checks files starts with the first one and stays. */
export async function footprintAtWork(ground: Ground): Promise<Footprint> {
  await upload(ground.stack, samplePdf())
  return footprintOf(ground)
}

const named = <C extends AnyCell>({ cell, ...rest }: Outcome<C>): SuiteOutcome => ({
  ...{ name: nameOf(cell), cell },
  ...rest,
})

/** Sums, unless the clock or a human at the PSP affects every cell; resources and open runs, after commands. */
async function checkAfterwards(
  ground: Ground,
  cells: readonly AnyCell[],
  before: Footprint | null,
  told: SuiteOptions['told'],
): Promise<SuiteOutcome[]> {
  const outcomes: SuiteOutcome[] = []
  const alone = cells.filter((cell) => cell.alone)
  if (alone.length < cells.length) {
    // Of two chargebacks of one dispute, the one without a command must be polled, too.
    const polled = alone.length > 0 || cells.some(needsFree)
    const wrong = await totalsTrue(ground, { polled })
    outcomes.push(summaryOutcome(told, 'I9', 'sums by currency and status equal those of the PSPs', wrong))
  }
  if (before) {
    const { broken, told: sizes } = await backTo(before, ground)
    outcomes.push(
      summaryOutcome(
        told,
        'I14',
        'descriptors, memory and open workflow runs are back at their baseline',
        broken,
        sizes,
      ),
    )
  }
  return outcomes
}

/** Leaks and replay errors of all cells together. */
export async function left(ground: Ground, told: SuiteOptions['told']): Promise<SuiteOutcome[]> {
  const { leaks, unrepeatable } = await tracesOf(ground)
  return [
    summaryOutcome(told, 'I12', 'no secret and no personal data in plain text in logs, tables, histories', leaks),
    summaryOutcome(told, 'I15', 'the histories replay without a determinism error', unrepeatable),
  ]
}

/** `sizes` are reported even if nothing is broken. */
function summaryOutcome(
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

/** An environment with a chargeback for each cell. */
async function groundFor(cells: readonly AnyCell[], env: Record<string, string>): Promise<Ground> {
  const disputes: Partial<Record<Cell['adapter'], number>> = {}
  const twoDocuments = cells.filter(({ step }) => step.twoDocuments).length
  for (const cell of cells) {
    const { adapter, step } = cell
    disputes[adapter] = (disputes[adapter] ?? 0) + (step.twoDocuments ? 0 : 1) + (needsFree(cell) ? 1 : 0)
  }
  return prepareGround({ disputes, twoDocuments, env })
}

import { isAlive } from '../../local/processes.ts'
import { upload } from '../harness/rows.ts'
import { samplePdf } from '../harness/sample-files.ts'
import { type AnyCell, type Cell, nameOf, needsFree, type Outcome } from './cells.ts'
import { backTo, type Footprint, footprintOf } from './invariants/baseline.ts'
import { totalsTrue } from './invariants/totals.ts'
import { tracesOf } from './invariants/traces.ts'
import { batchLine, failuresOf } from './report/report.ts'
import type { SuiteOptions } from './report/suite-options.ts'
import type { SuiteOutcome } from './report/suite-outcome.ts'
import { roundsOf, runRounds } from './rounds.ts'
import { startTestbed, type Testbed } from './testbed/prepare.ts'

/** How faults are injected into cells, and where. */
interface Bouts<C extends AnyCell> {
  /** Cells that one fault hits together. All cells of a group have one seed. */
  groups: readonly C[][]
  skipped: readonly Outcome<C>[]
  strike(testbed: Testbed, cells: readonly C[]): Promise<Outcome<C>[]>
  env?: Record<string, string>
  /** Default: an environment with a chargeback for each cell. */
  prepare?(): Promise<Testbed>
}

/** Runs groups one after the other, each seed in its own environment. Reports a group's outcomes when it ends. */
export async function runBatches<C extends AnyCell>(
  { groups, skipped, strike, env = {}, prepare }: Bouts<C>,
  options: SuiteOptions,
): Promise<SuiteOutcome[]> {
  const { print } = options
  const ran = await runRounds(roundsOf(groups), options, async (round) => {
    const cells = round.flat()
    await using testbed = await (prepare?.() ?? groundFor(cells, env))
    const before = cells.some(({ step }) => step.command !== 'ingestion') ? await footprintAtWork(testbed) : null
    const outcomes: SuiteOutcome[] = []
    for (const group of round) {
      const began = Date.now()
      const dead = endedIn(testbed)
      if (dead.length > 0) throw new Error(`${dead.join(' and ')} had ended before a fault was injected`)
      const ended = await strike(testbed, group)
      print?.(batchLine(ended, Date.now() - began))
      for (const line of failuresOf(ended)) print?.(line)
      outcomes.push(...ended.map(named))
    }
    return [...outcomes, ...(await checkAfterwards(testbed, cells, before, print)), ...(await left(testbed, print))]
  })
  return [...skipped.map(named), ...ran]
}

/** Processes that should run and don't: every later cell would wait for them in vain. */
function endedIn({ api, worker }: Testbed): string[] {
  return Object.entries({ api, worker }).flatMap(([name, { child }]) => (isAlive(child.pid) ? [] : [`the ${name}`]))
}

/** Uploads a file first, because the thread that checks files starts with the first one and stays. */
export async function footprintAtWork(testbed: Testbed): Promise<Footprint> {
  await upload(testbed.stack, samplePdf())
  return footprintOf(testbed)
}

const named = <C extends AnyCell>({ cell, ...rest }: Outcome<C>): SuiteOutcome => ({
  ...{ name: nameOf(cell), cell },
  ...rest,
})

/** Sums, unless the clock or a human at the PSP affects every cell; resources and open runs, after commands. */
async function checkAfterwards(
  testbed: Testbed,
  cells: readonly AnyCell[],
  before: Footprint | null,
  print: SuiteOptions['print'],
): Promise<SuiteOutcome[]> {
  const outcomes: SuiteOutcome[] = []
  const alone = cells.filter((cell) => cell.alone)
  if (alone.length < cells.length) {
    // Of two chargebacks of one dispute, the one without a command must be polled, too.
    const polled = alone.length > 0 || cells.some(needsFree)
    const wrong = await totalsTrue(testbed, { polled })
    outcomes.push(summaryOutcome(print, 'I9', 'sums by currency and status equal those of the PSPs', wrong))
  }
  if (before) {
    const { broken, figures: sizes } = await backTo(before, testbed)
    outcomes.push(
      summaryOutcome(
        print,
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
export async function left(testbed: Testbed, print: SuiteOptions['print']): Promise<SuiteOutcome[]> {
  const { leaks, unrepeatable } = await tracesOf(testbed)
  return [
    summaryOutcome(print, 'I12', 'no secret and no personal data in plain text in logs, tables, histories', leaks),
    summaryOutcome(print, 'I15', 'the histories replay without a determinism error', unrepeatable),
  ]
}

/** `sizes` are reported even if nothing is broken. */
function summaryOutcome(
  print: SuiteOptions['print'],
  name: string,
  title: string,
  broken: string[],
  sizes: string[] = [],
): SuiteOutcome {
  const why = [...broken, ...sizes]
  print?.(`  ${name}, ${title}: ${why.join('; ') || 'yes'}`)
  return { name, title, result: broken.length > 0 ? 'failed' : 'passed', why }
}

/** An environment with a chargeback for each cell. */
async function groundFor(cells: readonly AnyCell[], env: Record<string, string>): Promise<Testbed> {
  const disputes: Partial<Record<Cell['adapter'], number>> = {}
  const twoDocuments = cells.filter(({ step }) => step.twoDocuments).length
  for (const cell of cells) {
    const { adapter, step } = cell
    disputes[adapter] = (disputes[adapter] ?? 0) + (step.twoDocuments ? 0 : 1) + (needsFree(cell) ? 1 : 0)
  }
  return startTestbed({ disputes, twoDocuments, env })
}

import { type Cell, nameOf, type Outcome, type Selection, seedsOf } from '../cells.ts'
import { type Act, runCells } from '../crash.ts'
import { STEPS } from '../steps.ts'
import type { Testbed } from '../testbed/prepare.ts'
import { ADAPTERS, type AdapterName, contestOf } from '../testbed/psps.ts'
import { type DueDates, openDueDates } from './due-dates.ts'
import { actByHand, canDo, checkEndAfterHuman, HUMAN_ACTIONS, type HumanAction } from './human.ts'

/** No attempt times out while it is held: only its due date can make a command late. */
export const DEADLINES_ENV = { RECOUP_COMMAND_TIMEOUT_MS: '120000' }
/** Concurrent commands: more would only wait for each other. */
const AT_ONCE = 40

/** Steps up to the irreversible call. */
const UNTIL_CALL = /before_(plan|upload|stage|probe|call)$|after_(plan|upload|stage)$|ledger_written$/
/** Where a human interferes: everything is prepared, or the effect is recorded and the call is not made. */
const BETWEEN: Record<HumanAction, RegExp> = {
  accepts: /ledger_written$/,
  submits: /ledger_written$/,
  adds: /after_stage$|evidence_ledger_written$/,
  takes_away: /after_stage$|evidence_ledger_written$/,
}
/** Seconds until the due date. All commands must have reached their steps by then. */
const WITHIN = { passes: 30, psp_away: 15 }
/** The cells of the reduced form, each at one PSP. */
const REDUCED: Readonly<Record<string, AdapterName>> = {
  'due:passes:before_call': 'recoup_sandbox',
  'due:passes:ledger_written': 'stripe',
  'due:passes:evidence_ledger_written': 'stripe',
  'human:accepts:evidence_ledger_written': 'stripe',
  'human:submits:ledger_written': 'recoup_sandbox',
  'human:takes_away:evidence_after_stage': 'stripe',
}

export interface Deadlines {
  cells: Cell[]
  groups: Cell[][]
  skipped: Outcome[]
  strike(testbed: Testbed, cells: readonly Cell[]): Promise<Outcome[]>
}

/** Due dates that pass, and humans at the PSP's dashboard, while commands are at every step before the call. */
export function openDeadlines(selection: Selection): Deadlines {
  const skipped: Outcome[] = []
  const cells: Cell[] = []
  const add = (cell: Cell, reason: string | null) => {
    if (selection.cell) reason === null && nameOf(cell) === selection.cell && cells.push(cell)
    else if (selection.reduced) REDUCED[`${cell.strike}:${cell.step.key}`] === cell.adapter && cells.push(cell)
    else if (reason === null) cells.push(cell)
    else skipped.push({ cell, result: 'skipped', why: [reason] })
  }
  // Seeds may run concurrently: each has its own due dates.
  const dues = new Map(seedsOf(selection).map((seed) => [seed, openDueDates(selection)]))
  for (const [seed, own] of dues)
    for (const step of STEPS.filter(({ hold }) => hold.at === 'point' && hold.by === 'worker'))
      for (const adapter of selection.adapters ?? ADAPTERS) {
        const impossible = step.impossible(contestOf(adapter))
        if (UNTIL_CALL.test(step.key)) add(dueCell(own, 'passes', { step, adapter, seed }), impossible)
        if (step.key === 'before_probe' || step.key === 'evidence_before_plan')
          add(dueCell(own, 'psp_away', { step, adapter, seed }), impossible)
        for (const deed of HUMAN_ACTIONS)
          if (BETWEEN[deed].test(step.key)) {
            const possible = canDo(adapter, deed)
              ? null
              : 'this PSP accepts the evidence in one call: nothing is staged'
            add(humanCell(deed, { step, adapter, seed }), impossible ?? possible)
          }
      }
  if (selection.cell && cells.length === 0 && !selection.cell.startsWith('upload:'))
    throw new Error(`there is no cell ${selection.cell}`)
  const together = [...dues.keys()].flatMap((seed) =>
    ['due:passes', 'due:psp_away', 'human'].map((one) =>
      cells.filter((cell) => cell.seed === seed && cell.strike.startsWith(one)),
    ),
  )
  return {
    cells,
    groups: together.flatMap(slices),
    skipped,
    strike(testbed, group) {
      const { seed = 1, strike = '' } = group[0] ?? {}
      const own = dues.get(seed)
      const byHand = HUMAN_ACTIONS.map((deed) => [`human:${deed}`, actByHand] as const)
      const acts = new Map<string, Act | undefined>([...byHand, ['due:passes', own?.pass], ['due:psp_away', own?.away]])
      const act = acts.get(strike)
      if (!act) throw new Error(`there is no fault ${strike}`)
      return runCells(testbed, group, act)
    },
  }
}

const slices = (cells: Cell[]): Cell[][] => {
  const count = Math.ceil(cells.length / AT_ONCE)
  return Array.from({ length: count }, (_, part) => cells.filter((__, index) => index % count === part))
}

type Where = Pick<Cell, 'step' | 'adapter' | 'seed'>

function dueCell(dues: DueDates, how: 'passes' | 'psp_away', where: Where): Cell {
  return {
    ...{ strike: `due:${how}`, ...where, alone: true },
    ...(dues.reduced && { mayMiss: () => dues.over() }),
    arrange: (testbed, dispute) => dues.arrange(testbed, dispute, WITHIN[how]),
    check: (testbed, dispute) => dues.check(testbed, dispute, where.step),
  }
}

function humanCell(deed: HumanAction, where: Where): Cell {
  return {
    ...{ strike: `human:${deed}`, ...where, alone: true },
    check: (testbed, dispute) => checkEndAfterHuman(testbed, dispute, where.step.command, deed),
  }
}

import type { PollingMode } from '../../domain/polling-mode.ts'
import { STEPS, type Step, type WorkKind } from './steps.ts'
import type { Dispute, Testbed } from './testbed/prepare.ts'
import { ADAPTERS, type AdapterName, contestOf, TWO_DOCUMENTS } from './testbed/psps.ts'

export const STRIKES = [
  'api:kill',
  'api:term',
  'worker:kill',
  'worker:term',
  'worker:freeze',
  'temporal:kill',
  'postgres:kill',
  'temporal:wipe',
] as const
/**
 * Changes to an integration while a command is running: its key is rotated, its account is connected a second time, it
 * is deactivated and connected again, its disputes are stored twice.
 */
export const INTEGRATION_STRIKES = [
  'integration:rotate',
  'integration:second',
  'integration:again',
  'integration:twins',
] as const
/**
 * victim:fault. kill: SIGKILL, term: SIGTERM, freeze: SIGSTOP past every time-out, then SIGCONT, wipe: empty database.
 */
export type FaultName = (typeof STRIKES)[number] | (typeof INTEGRATION_STRIKES)[number]

const ONE_DOCUMENT = 'this PSP requires at most one document, and one file is sent: every plan has one upload'

const DEACTIVATED = 'nothing is committed yet: the request is refused, like every request for an INACTIVE integration'

function whyNot({ strike, step, adapter }: Cell): string | null {
  if (strike === 'integration:again' && step.hold.at === 'lock') return DEACTIVATED
  return step.impossible(contestOf(adapter)) ?? (step.twoDocuments && !TWO_DOCUMENTS[adapter] ? ONE_DOCUMENT : null)
}

/** Which steps of a fault are in the reduced form: every second, every third; none without an entry. */
const REDUCED: Partial<Record<FaultName, number>> = {
  'worker:kill': 2,
  'worker:freeze': 3,
  'api:kill': 3,
  'temporal:kill': 3,
  'postgres:kill': 3,
  'integration:rotate': 6,
  'integration:second': 12,
  'integration:again': 7,
  'integration:twins': 6,
}

/** One command that one fault hits at one step. */
export interface Cell<S extends Step<WorkKind> = Step> {
  /** victim:fault */
  strike: string
  step: S
  adapter: AdapterName
  seed: number
  /** The PSP's response may be a definite refusal: then the command fails, and nothing was done. */
  mayFail?: boolean
  /** Runs after the cell is prepared, before its command is requested. */
  arrange?(testbed: Testbed, dispute: Dispute): Promise<void>
  /** Checks of this cell alone, afterwards. @returns violations */
  check?(testbed: Testbed, dispute: Dispute): string[] | Promise<string[]>
  /** Only `check` decides how it must end, because the clock or a human at the PSP affects it, too. */
  alone?: boolean
  /** Whether it is too late to reach this step: then a command that ended before it counts, too. */
  mayMiss?(): boolean
}

/** A cell of any suite. */
export type AnyCell = Cell<Step<WorkKind>>

/** Whether its fault needs another chargeback, without a running command. */
export const needsFree = ({ strike, step }: AnyCell) => strike === 'integration:twins' && step.hold.at !== 'point'

/** The name of a cell, with which `--cell` runs it alone: victim:step:fault:adapter:seed. */
export function nameOf({ strike, step, adapter, seed }: AnyCell): string {
  const [victim, fault] = strike.split(':')
  return `${victim}:${step.key}:${fault}:${adapter}:${seed}`
}

export interface Outcome<C extends AnyCell = Cell> {
  cell: C
  result: 'passed' | 'failed' | 'skipped'
  /** Violations, each with its invariant, or the reason of a skip. */
  why: string[]
  /** Facts about the command of a failed cell. */
  story?: string[]
}

export interface Selection {
  adapters?: readonly AdapterName[]
  /** Each cell with seeds 1 to this. */
  seeds?: number
  /** Concurrent seeds, each in its own environment. */
  sideBySide?: number
  /** Only the cell of this name. */
  cell?: string
  /** Only this victim's cells, or those of one of its faults: `integration`, `integration:rotate`. */
  victim?: string
  /** Only this part of the suite, where it has parts. */
  part?: string
  /** What starts polls; schedules by default. */
  polling?: PollingMode
  /** How long `soak` lasts; an hour by default. */
  minutes?: number
  /** As in `npm run test:full`: the hard faults at every second or third step, adapters in turn. */
  reduced?: boolean
}

/** Cells of the crash matrix. Impossible cells are skipped with a reason. */
export function crashCells(selection: Selection): { cells: Cell[]; skipped: Outcome[] } {
  const cells: Cell[] = []
  const skipped: Outcome[] = []
  const { cell: only } = selection
  for (const one of seedsOf(selection))
    for (const [turn, strike] of [...STRIKES, ...INTEGRATION_STRIKES].entries()) {
      if (!isWanted(strike, selection)) continue
      for (const [index, step] of STEPS.entries()) {
        const all = (selection.adapters ?? ADAPTERS).map((adapter) => ({ strike, step, adapter, seed: one }))
        const possible = all.filter((cell) => whyNot(cell) === null)
        const inTurn = possible[(turn + index + one) % Math.max(1, possible.length)]
        const every = REDUCED[strike] ?? 0
        const chosen = every > 0 && (turn + index + one) % every === 0
        const wanted = selection.reduced ? possible.filter((cell) => chosen && cell === inTurn) : possible
        cells.push(...wanted.filter((cell) => !only || nameOf(cell) === only))
        for (const cell of only ? [] : all.filter((other) => !possible.includes(other)))
          skipped.push({ cell, result: 'skipped', why: [whyNot(cell) ?? ''] })
      }
    }
  if (cells.length === 0) throw new Error(`there is no cell ${only ?? `of the victim ${selection.victim}`}`)
  return { cells, skipped }
}

/** Whether the selection includes this fault. */
export const isWanted = (strike: FaultName, { victim }: Selection) =>
  victim === undefined || strike === victim || strike.startsWith(`${victim}:`)

/** The seed in the full name of the selected cell, else all seeds. */
export function seedsOf({ cell, seeds = 1 }: Selection): number[] {
  if (cell?.includes(':')) return [Number(cell.split(':').at(-1))]
  return Array.from({ length: seeds }, (_, index) => index + 1)
}

/** Commands that one fault hits: a worker has 50 slots for commands, and each held command occupies one. */
const AT_ONCE = 40

/** Cells that one fault hits together. */
export function bouts(cells: readonly Cell[]): Cell[][] {
  const byStrike = new Map<string, Cell[]>()
  for (const cell of cells) {
    const key = `${cell.seed}:${cell.strike}`
    byStrike.set(key, [...(byStrike.get(key) ?? []), cell])
  }
  return [...byStrike.values()].flatMap((own) => {
    const count = Math.ceil(own.length / AT_ONCE)
    return Array.from({ length: count }, (_, part) => own.filter((__, index) => index % count === part))
  })
}

/** Random numbers: the same seed gives the same delays and orders. */
export function chanceOf(seed: number, name: string): () => number {
  let state = seed >>> 0
  for (const letter of name) state = Math.imul(state ^ letter.charCodeAt(0), 0x01000193) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

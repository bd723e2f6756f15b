import type { PollingMode } from '../../domain/polling-mode.ts'
import type { Dispute, Ground } from './ground/prepare.ts'
import { ADAPTERS, type AdapterName, contestOf, TWO_DOCUMENTS } from './ground/psps.ts'
import { STEPS, type Step, type WorkKind } from './steps.ts'

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
/** What becomes of integrations while work is under way: another key, the account once more, given up and back, stored twice. */
export const INTEGRATION_STRIKES = [
  'integration:rotate',
  'integration:second',
  'integration:again',
  'integration:twins',
] as const
/** Who is struck, and how: kill -9, SIGTERM, SIGSTOP past every time-out and SIGCONT, an empty database; or an integration. */
export type Strike = (typeof STRIKES)[number] | (typeof INTEGRATION_STRIKES)[number]

const ONE_DOCUMENT = 'this PSP never wants more than one document, and one file is sent: every plan has one upload'

const GIVEN_UP = 'nothing is committed yet: the request is refused, as any for an INACTIVE integration is'

function whyNot({ strike, step, adapter }: Cell): string | null {
  if (strike === 'integration:again' && step.hold.at === 'lock') return GIVEN_UP
  return step.impossible(contestOf(adapter)) ?? (step.twoDocuments && !TWO_DOCUMENTS[adapter] ? ONE_DOCUMENT : null)
}

/** Which steps of a strike are in the reduced form: every second, every third, none. */
const REDUCED: Partial<Record<Strike, number>> = {
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

/** One command at one step when one fault strikes. */
export interface Cell<S extends Step<WorkKind> = Step> {
  /** victim:fault */
  strike: string
  step: S
  adapter: AdapterName
  seed: number
  /** The PSP's answer may be a definite refusal: then the command fails, and nothing was done. */
  mayFail?: boolean
  /** Done after it is prepared, before the command is asked for. */
  arrange?(ground: Ground, dispute: Dispute): Promise<void>
  /** What else has to hold afterwards. @returns sentences */
  check?(ground: Ground, dispute: Dispute): string[] | Promise<string[]>
  /** `check` alone judges how it ends: the clock or a human at the PSP has a say in it, too. */
  alone?: boolean
  /** Whether it is too late to come to this step: then it counts, too, when the command has ended before. */
  mayMiss?(): boolean
}

/** Of any suite. */
export type AnyCell = Cell<Step<WorkKind>>

/** Whether its strike needs a chargeback more, that no command is under way for. */
export const needsFree = ({ strike, step }: AnyCell) => strike === 'integration:twins' && step.hold.at !== 'point'

/** The line that names a cell, and starts it again alone: victim:step:fault:adapter:seed. */
export function nameOf({ strike, step, adapter, seed }: AnyCell): string {
  const [victim, fault] = strike.split(':')
  return `${victim}:${step.key}:${fault}:${adapter}:${seed}`
}

export interface Outcome<C extends AnyCell = Cell> {
  cell: C
  result: 'passed' | 'failed' | 'skipped'
  /** Violations, each with its invariant, or the reason of a skip. */
  why: string[]
  /** What is known of a command whose cell failed. */
  story?: string[]
}

export interface Selection {
  adapters?: readonly AdapterName[]
  /** Each cell with seeds 1 to this. */
  seeds?: number
  /** Seeds at a time, each on a ground of its own. */
  sideBySide?: number
  /** Only the cell of this name. */
  cell?: string
  /** Only this victim's cells, or those of one of its strikes: `integration`, `integration:rotate`. */
  victim?: string
  /** Only this part of the suite, where it has parts. */
  part?: string
  /** Who starts polls; schedules when not given. */
  polling?: PollingMode
  /** How long `soak` lasts; an hour when not given. */
  minutes?: number
  /** The form of `npm run test:full`: the hard strikes at every second or third step, one adapter in turn. */
  reduced?: boolean
}

/** Cells of the crash matrix: what can be struck, and what can't with the reason. None is left out in silence. */
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

/** Whether that strike is asked for. */
export const isWanted = (strike: Strike, { victim }: Selection) =>
  victim === undefined || strike === victim || strike.startsWith(`${victim}:`)

/** The seed of the one cell that is asked for by its whole name, or all of them. */
export function seedsOf({ cell, seeds = 1 }: Selection): number[] {
  if (cell?.includes(':')) return [Number(cell.split(':').at(-1))]
  return Array.from({ length: seeds }, (_, index) => index + 1)
}

/** Commands that one strike hits: a worker has 50 places for commands, and each that is held takes one. */
const AT_ONCE = 40

/** Cells that one strike hits together. */
export function bouts(cells: readonly Cell[]): Cell[][] {
  const strikes = new Map<string, Cell[]>()
  for (const cell of cells) {
    const key = `${cell.seed}:${cell.strike}`
    strikes.set(key, [...(strikes.get(key) ?? []), cell])
  }
  return [...strikes.values()].flatMap((own) => {
    const count = Math.ceil(own.length / AT_ONCE)
    return Array.from({ length: count }, (_, part) => own.filter((__, index) => index % count === part))
  })
}

/** Same seed, same delays and orders. */
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

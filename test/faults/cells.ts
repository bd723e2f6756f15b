import type { AdapterName } from './psps.ts'
import type { Step } from './steps.ts'

export const STRIKES = [
  'api:kill',
  'api:term',
  'worker:kill',
  'worker:term',
  'worker:freeze',
  'temporal:kill',
  'postgres:kill',
] as const
/** Who is struck, and how: kill -9, SIGTERM, or SIGSTOP past every time-out and SIGCONT. */
export type Strike = (typeof STRIKES)[number]

/** One command at one step when one fault strikes. */
export interface Cell {
  suite: string
  strike: string
  step: Step
  adapter: AdapterName
  seed: number
}

/** The line that names a cell, and starts it again alone: victim:step:fault:adapter:seed. */
export function nameOf({ strike, step, adapter, seed }: Omit<Cell, 'suite'>): string {
  const [victim, fault] = strike.split(':')
  return `${victim}:${step.key}:${fault}:${adapter}:${seed}`
}

export interface Outcome {
  cell: Cell
  result: 'passed' | 'failed' | 'skipped'
  /** Violations, each with its invariant, or the reason of a skip. */
  why: string[]
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

import type { AnyCell, Outcome } from '../cells.ts'

/** Result of a cell, a seeded bug, a kind of malformed object or a measurement. */
export interface SuiteOutcome {
  name: string
  result: Outcome['result']
  why: string[]
  /** Facts about a failure. */
  story?: string[]
  /** What the name stands for. */
  title?: string
  /** Its place in the table of its suite. */
  place?: { row: string; column: string }
  cell?: AnyCell
}

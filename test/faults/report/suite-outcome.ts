import type { AnyCell, Outcome } from '../cells.ts'

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

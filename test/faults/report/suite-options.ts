import type { Selection } from '../cells.ts'
import type { Journal } from '../journal.ts'

export interface SuiteOptions extends Selection {
  /** Receives a line about each step when it ends. */
  print?(line: string): void
  journal?: Journal | undefined
}

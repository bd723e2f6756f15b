import type { Selection } from '../cells.ts'
import type { Journal } from '../journal.ts'

export interface SuiteOptions extends Selection {
  /** Hears of each step as it ends, a line at a time. */
  told?(line: string): void
  journal?: Journal | undefined
}

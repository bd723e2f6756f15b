import type { Cell } from '../cells.ts'
import type { History } from '../history.ts'
import type { Client } from './clients.ts'
import type { Held } from './holding.ts'
import type { Dispute } from './prepare.ts'

/** A cell's command and the client that requests it. */
export interface Subject {
  cell: Cell
  dispute: Dispute
  held: Held
  client: Client | null
  /** All requests about the chargeback, with their responses. */
  history: History
}

import type { JsonObject } from '../../simulators/engine/contract.ts'

/** How a dispute may stand at the PSP before a call of ours; none of it is our doing. */
export const PSP_STATES = [
  'waits for an answer',
  'lost by decision',
  'won',
  'under review',
  'accepted by somebody at the PSP',
  'expired: nobody answered',
  'evidence of somebody else submitted',
  'evidence of another client staged',
  'evidence staged by a person at the PSP',
] as const
export type PspState = (typeof PSP_STATES)[number]

/**
 * How a command ends: `goes on` means that it is sent, or sent again; `inProgress` that only reads are made and an
 * operator is told, because nobody can know.
 */
export type End = 'succeeded' | 'failed' | 'goes on' | 'inProgress'

/** What becomes of a command: when nothing of ours was sent before, and when a call of ours may have arrived. */
export type Ending = readonly [neverSent: End, maybeSent: End]

export interface Endings {
  acceptance: Ending
  submission: Ending
  /** Where what was never sent succeeds: the PSP's own word that it was accepted, as its object shows it. */
  says?: string
}

/** The table of BEHAVIOR.md as data. A sentence instead of endings: why this PSP knows no such state. */
export type Ends = Readonly<Record<PspState, Endings | string>>

/** What a state maker may do at the simulated PSP. */
export interface StateBench {
  /** Calls the control surface. @throws when it refuses */
  control<T>(method: string, path: string, body?: unknown): Promise<T>
  /** The object as the PSP has it now. */
  objectOf(reference: string): JsonObject
  /** What the PSP's clock says; the adapter lives by it too. */
  now(): Date
}

/** Brings a dispute into a state, where the kit's own way is not this PSP's. */
export type StateMakers = { readonly [S in PspState]?: (bench: StateBench, reference: string) => Promise<unknown> }

/** Nothing of ours and nothing of the PSP's stands in the way. */
export const GOES_ON: Endings = { acceptance: ['goes on', 'goes on'], submission: ['goes on', 'goes on'] }
/** Over, and the PSP tells that it was none of ours. */
export const FAILS: Endings = { acceptance: ['failed', 'failed'], submission: ['failed', 'failed'] }

import type { JsonObject } from '../../simulators/engine/contract.ts'

/** States of a dispute at the PSP before a call by Recoup; none of them is Recoup's effect. */
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
 * Result of a command: `goes on` means that it is sent, or sent again; `inProgress` that only reads are made and
 * operators are notified, because the outcome can't be known.
 */
export type End = 'succeeded' | 'failed' | 'goes on' | 'inProgress'

/** Results of a command when nothing was sent before, and when a call may have arrived. */
export type Ending = readonly [neverSent: End, maybeSent: End]

export interface Endings {
  acceptance: Ending
  submission: Ending
  /** Succeeds although nothing was sent: the PSP's object says that the dispute was accepted. */
  says?: string
}

/** The table of BEHAVIOR.md as data. A sentence in place of results: why this PSP has no such state. */
export type Ends = Readonly<Record<PspState, Endings | string>>

/** What a state maker may use at the simulated PSP. */
export interface StateBench {
  /** Calls the control interface. @throws when it refuses */
  control<T>(method: string, path: string, body?: unknown): Promise<T>
  /** The PSP's current object. */
  objectOf(reference: string): JsonObject
  /** The PSP's clock, which the adapter uses too. */
  now(): Date
}

/** Brings a dispute into a state, if the kit's default way does not work at this PSP. */
export type StateMakers = { readonly [S in PspState]?: (bench: StateBench, reference: string) => Promise<unknown> }

/** Nothing prevents the call. */
export const GOES_ON: Endings = { acceptance: ['goes on', 'goes on'], submission: ['goes on', 'goes on'] }
/** Closed, and the PSP shows that Recoup did not do it. */
export const FAILS: Endings = { acceptance: ['failed', 'failed'], submission: ['failed', 'failed'] }

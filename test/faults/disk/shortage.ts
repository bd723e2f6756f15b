import type { Testbed } from '../testbed/prepare.ts'

/** A resource that a process or a server runs out of. */
export interface Shortage {
  who: 'postgres' | 'api' | 'worker'
  title: string
  /** Why it can't run on this machine; null = it can. */
  missing(): string | null
  /** Prepares it, before the first request. */
  open(testbed: Testbed): Promise<OpenShortage>
  /** Matches what API and worker log about it, or `unanswered`, or `died: <who>`. */
  shows: RegExp
  /** A client may get no response, because the API is down or can't accept a connection. */
  mute?: true
}

export interface OpenShortage {
  begin(): Promise<void> | void
  /** Ends the shortage. Does not restart what died of it. */
  end(): Promise<void> | void
  /** Restores the initial state; all processes run. */
  close?(): Promise<void>
}

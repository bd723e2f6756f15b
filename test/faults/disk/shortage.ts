import type { Ground } from '../ground/prepare.ts'

/** What a process or a server runs out of. */
export interface Shortage {
  who: 'postgres' | 'api' | 'worker'
  title: string
  /** Why it can't be brought about on this machine; null = it can. */
  missing(): string | null
  /** Before anything is asked for. */
  open(ground: Ground): Promise<OpenShortage>
  /** What API and worker print of it, or one of `unanswered` and `died: <who>`. */
  shows: RegExp
  /** A client may get no answer: who would give one is gone, or can't take a connection. */
  mute?: true
}

export interface OpenShortage {
  begin(): Promise<void> | void
  /** There is enough again. What died of it is not started by this. */
  end(): Promise<void> | void
  /** Everything is as it was before; all processes run. */
  close?(): Promise<void>
}

/** Completes the sentence "it is refused because …". */
export const DAMAGED = 'it is damaged or incomplete'

/**
 * The limit that ended the process. `starved`: its wall-clock time passed while the machine was too busy to run it.
 * `crash`: no limit, for example a native failure of a library.
 */
export type KillReason = 'memory' | 'cpu' | 'time' | 'starved' | 'crash'

/** A process was killed while it worked on a file. */
export class FileKilled extends Error {
  override name = 'FileKilled'
  readonly reason: KillReason
  /** A retry can't succeed. False for kills that a busy machine can have caused, until there are too many. */
  readonly final: boolean
  constructor(reason: KillReason, final: boolean) {
    super('the file is too complex: its process was ended')
    this.reason = reason
    this.final = final
  }
}

/** A job ended with an error that it doesn't expect, for example one of a library. */
export class FileFailed extends Error {
  override name = 'FileFailed'
  /** @param fault the name of the error; its message could quote the file */
  constructor(job: string, fault: string) {
    super(`the file job ${job} failed: ${fault}`)
  }
}

/** The account's queue is full, or its wait has timed out. Other accounts may have room. */
export class NoSlot extends Error {
  override name = 'NoSlot'
  constructor() {
    super('the account has too many files waiting')
  }
}

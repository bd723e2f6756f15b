/** The limit that ended the process. `crash`: none of them, for example a native failure of a library. */
export type KillReason = 'memory' | 'cpu' | 'time' | 'crash'

/** A process was killed while it worked on a file. */
export class FileKilled extends Error {
  override name = 'FileKilled'
  readonly reason: KillReason
  /** A retry can't succeed. False for a first kill that a busy machine can have caused. */
  readonly final: boolean
  constructor(reason: KillReason, final: boolean) {
    super('the file is too complex: its process was ended')
    this.reason = reason
    this.final = final
  }
}

/** The account's queue is full, or its wait has timed out. Other accounts may have room. */
export class NoSlot extends Error {
  override name = 'NoSlot'
  constructor() {
    super('the account has too many files waiting')
  }
}

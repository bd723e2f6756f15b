/** Which bound ended the process. `crash`: none that we set, as when a library fails natively. */
export type KillReason = 'memory' | 'cpu' | 'time' | 'crash'

/** A process was killed while it worked on a file. */
export class FileKilled extends Error {
  override name = 'FileKilled'
  readonly reason: KillReason
  /** No later try changes it. False for the first kill that a busy machine can have caused. */
  readonly final: boolean
  constructor(reason: KillReason, final: boolean) {
    super('the file is too complex: its process was ended')
    this.reason = reason
    this.final = final
  }
}

/** The account has as much waiting as it may, or its turn didn't come in time. Another account may have room. */
export class NoSlot extends Error {
  override name = 'NoSlot'
  constructor() {
    super('the account has too many files waiting')
  }
}

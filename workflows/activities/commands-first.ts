import { setTimeout as sleep } from 'node:timers/promises'

/** How long a page waits after a step of a command, ms: the next step of that command begins within that time. */
const NEXT_STEP_MS = 150
/** The longest that one page waits, ms: a backfill stores two pages a second however many commands there are. */
const LONGEST_MS = 500

/** Makes pages of polls wait while commands run in the same process, because both need its processor. */
export interface CommandsFirst {
  /** A step of a command began, or ended. */
  step(): void
  /** Waits while commands are at work, `LONGEST_MS` at most. */
  wait(): Promise<void>
}

/** `now` in ms, never going back. */
const CLOCK = { now: () => performance.now(), pause: (ms: number): Promise<unknown> => sleep(ms) }

export function createCommandsFirst({ now, pause } = CLOCK): CommandsFirst {
  let quietAt = Number.NEGATIVE_INFINITY
  return {
    step() {
      quietAt = now() + NEXT_STEP_MS
    },
    async wait() {
      const longest = now() + LONGEST_MS
      const left = () => Math.min(quietAt, longest) - now()
      while (left() > 0) await pause(left())
    },
  }
}

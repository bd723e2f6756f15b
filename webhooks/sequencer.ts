import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/core/connect.ts'
import type { Log } from '../process/log.ts'
import { type FanOut, sequence } from './sequence.ts'

/** A NOTIFY would need a lock of the whole server at each commit of a poll: docs/decisions/0065. */
const EVERY_MS = 200
const AFTER_A_FAILURE_MS = 1_000

/** Gives events their positions until it is disposed. Any number of processes may run it; it goes on after outages. */
export function startSequencer({
  db,
  log,
  fanOut,
}: {
  db: Database
  log: Pick<Log, 'warn'>
  fanOut?: FanOut
}): AsyncDisposable {
  const stop = new AbortController()
  const pause = (ms: number) => sleep(ms, undefined, { signal: stop.signal }).catch(() => undefined)
  const running = (async () => {
    while (!stop.signal.aborted) {
      try {
        const { hasMore } = await sequence(db, fanOut)
        if (!hasMore) await pause(EVERY_MS)
      } catch (error) {
        log.warn({ reason: error instanceof Error ? error.name : 'error' }, 'sequencer failed, retrying')
        await pause(AFTER_A_FAILURE_MS)
      }
    }
  })()
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}

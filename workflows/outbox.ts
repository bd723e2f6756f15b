import type { Database } from '../db/connect.ts'
import { listen } from '../db/listen.ts'
import { type DispatchDeps, dispatchDue } from './dispatch.ts'
import { ensureReconcileSchedule } from './schedules.ts'

const BATCH = 20
/** Postgres forgets a NOTIFY that nobody heard, so the relay looks every second as well. */
const LOOK_EVERY_MS = 1_000
/** A wiped Temporal has no reconciler to notice; this process puts its schedule back. */
const ENSURE_EVERY_MS = 10_000

/**
 * The relay: takes outbox rows to Temporal, woken by NOTIFY. Any number of processes may run it; rows are claimed one
 * by one and every start is idempotent. It never gives up: outages of Postgres and Temporal are waited out.
 */
export function startRelay(deps: DispatchDeps & { databaseUrl: string; db: Database }): AsyncDisposable {
  let stopped = false
  let wake = () => {}
  const listener = listen(deps.databaseUrl, 'outbox', () => wake())
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const relaying = (async () => {
    let ensuredAt = 0
    while (!stopped) {
      let done = 0
      try {
        if (Date.now() - ensuredAt > ENSURE_EVERY_MS) {
          await deps.temporal.connection.withDeadline(Date.now() + 2_000, () =>
            ensureReconcileSchedule(deps.temporal, ensuredAt === 0),
          )
          ensuredAt = Date.now()
        }
        done = await dispatchDue(deps, BATCH)
      } catch (error) {
        deps.log.warn({ reason: error instanceof Error ? error.name : 'error' }, 'relay waits for its servers')
      }
      if (done < BATCH && !stopped) await pause(LOOK_EVERY_MS)
    }
  })()

  return {
    async [Symbol.asyncDispose]() {
      stopped = true
      wake()
      await relaying
      await listener[Symbol.asyncDispose]()
    },
  }
}

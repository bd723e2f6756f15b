import { isGrpcServiceError, ServiceError } from '@temporalio/client'
import type { Database } from '../../db/core/connect.ts'
import { listen } from '../../db/core/listen.ts'
import type { DispatchDeps } from '../starters/deps.ts'
import { dispatchDue } from '../starters/dispatch.ts'
import { ensureReconcileSchedule } from '../starters/schedules.ts'

const BATCH = 20
/** Postgres forgets a NOTIFY that nobody heard, so the relay looks every second as well. */
const POLL_EVERY_MS = 1_000
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

  let ensuredAt = 0
  /** What a server that is there has against the schedule holds no command back. */
  const ensure = async () => {
    if (Date.now() - ensuredAt <= ENSURE_EVERY_MS) return
    try {
      await deps.temporal.connection.withDeadline(Date.now() + 2_000, () =>
        ensureReconcileSchedule(deps.temporal, ensuredAt === 0),
      )
      ensuredAt = Date.now()
    } catch (error) {
      if (isAway(error)) throw error
      deps.log.warn({ reason: nameOf(error) }, 'the schedule of the reconciler can not be made')
    }
  }

  const relaying = (async () => {
    while (!stopped) {
      let done = 0
      try {
        await ensure()
        done = await dispatchDue(deps, BATCH)
      } catch (error) {
        deps.log.warn({ reason: nameOf(error) }, 'relay waits for its servers')
      }
      if (done < BATCH && !stopped) await pause(POLL_EVERY_MS)
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

const nameOf = (error: unknown) => (error instanceof Error ? error.name : 'error')

/** gRPC: no connection, or no answer in time. Messages taken to it would only wait longer. */
const AWAY = [14, 4, 1]
const isAway = (error: unknown) =>
  error instanceof ServiceError && isGrpcServiceError(error.cause) && AWAY.includes(error.cause.code)

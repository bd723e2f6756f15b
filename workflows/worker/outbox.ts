import { isGrpcServiceError, ServiceError } from '@temporalio/client'
import type { Database } from '../../db/core/connect.ts'
import { listen } from '../../db/core/listen.ts'
import type { DispatchDeps } from '../starters/deps.ts'
import { dispatchDue } from '../starters/dispatch.ts'
import { ensureReconcileSchedule } from '../starters/schedules.ts'

const BATCH = 20
/** A NOTIFY without a listener is lost, so the relay also polls every second. */
const POLL_EVERY_MS = 1_000
/** A wiped Temporal has no reconciler; this process restores its schedule. */
const ENSURE_EVERY_MS = 10_000

/**
 * The relay: dispatches outbox rows to Temporal, woken by NOTIFY. Any number of processes may run it; rows are claimed
 * one by one and every start is idempotent. It retries through outages of Postgres and Temporal.
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
  /** A server that rejects the schedule does not block commands. */
  const ensure = async () => {
    if (Date.now() - ensuredAt <= ENSURE_EVERY_MS) return
    try {
      await deps.temporal.connection.withDeadline(Date.now() + 2_000, () =>
        ensureReconcileSchedule(deps.temporal, ensuredAt === 0),
      )
      ensuredAt = Date.now()
    } catch (error) {
      if (isUnreachable(error)) throw error
      deps.log.warn({ reason: nameOf(error) }, 'reconciler schedule sync failed')
    }
  }

  const relaying = (async () => {
    while (!stopped) {
      let done = 0
      try {
        await ensure()
        done = await dispatchDue(deps, BATCH)
      } catch (error) {
        deps.log.warn({ reason: nameOf(error) }, 'relay failed, retrying')
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

/** gRPC codes: no connection, or no response in time. Further messages would only wait longer. */
const UNREACHABLE = [14, 4, 1]
const isUnreachable = (error: unknown) =>
  error instanceof ServiceError && isGrpcServiceError(error.cause) && UNREACHABLE.includes(error.cause.code)

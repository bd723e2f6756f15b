import { isGrpcServiceError, ServiceError } from '@temporalio/client'
import type { Database } from '../../db/core/connect.ts'
import { listen } from '../../db/core/listen.ts'
import { createBell } from '../../process/bell.ts'
import type { CommandsFirst } from '../activities/commands-first.ts'
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
export function startRelay(
  deps: DispatchDeps & { databaseUrl: string; db: Database; commandsFirst?: Pick<CommandsFirst, 'step'> },
): AsyncDisposable {
  const stop = new AbortController()
  const bell = createBell()
  const listener = listen(deps.databaseUrl, 'outbox', () => {
    // Most messages are commands, which the API is starting at this moment: pages wait for them from here on.
    deps.commandsFirst?.step()
    bell.ring()
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
    while (!stop.signal.aborted) {
      let claimed = 0
      try {
        await ensure()
        claimed = (await dispatchDue(deps, BATCH)).claimed
      } catch (error) {
        deps.log.warn({ reason: nameOf(error) }, 'relay failed, retrying')
      }
      // A message that is postponed delays only itself.
      if (claimed < BATCH) await bell.wait(POLL_EVERY_MS)
    }
  })()

  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      bell.ring()
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

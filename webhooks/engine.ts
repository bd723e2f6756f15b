import { setTimeout as sleep } from 'node:timers/promises'
import { listen } from '../db/core/listen.ts'
import { WEBHOOK_CHANNEL } from '../db/webhooks/fan-out.ts'
import { leaseEndpoint, wakeForgotten } from '../db/webhooks/leases.ts'
import { createBell } from '../process/bell.ts'
import { runTurn, type TurnDeps } from './turn.ts'

/** A NOTIFY without a listener is lost, and pauses end. */
const POLL_EVERY_MS = 1_000
const SWEEP_EVERY_MS = 60_000
const AFTER_A_FAILURE_MS = 1_000

/**
 * Sends webhooks until it is disposed; requests in flight end first. Any number of processes may run it. Each slot leases
 * one endpoint at a time, so a receiver that is slow holds one slot.
 * @param slots endpoints that this process sends to at once, from 1 on
 */
export function startEngine(deps: TurnDeps & { databaseUrl: string; slots: number }): AsyncDisposable {
  const { db, log, slots } = deps
  const stop = new AbortController()
  const turns = new Set<Promise<void>>()
  /** Rung at the end of a turn, too. */
  const bell = createBell()
  const listener = listen(deps.databaseUrl, WEBHOOK_CHANNEL, bell.ring)
  const failed = (error: unknown) =>
    log.warn({ reason: error instanceof Error ? error.name : 'error' }, 'webhook engine failed, retrying')

  let sweptAt = Number.NEGATIVE_INFINITY
  const running = (async () => {
    while (!stop.signal.aborted) {
      try {
        if (performance.now() - sweptAt > SWEEP_EVERY_MS) {
          await wakeForgotten(db)
          sweptAt = performance.now()
        }
        const endpoint = turns.size < slots ? await leaseEndpoint(db) : null
        if (!endpoint) {
          await bell.wait(POLL_EVERY_MS)
          continue
        }
        const turn = runTurn(deps, endpoint)
          .catch(failed)
          .finally(() => {
            turns.delete(turn)
            bell.ring()
          })
        turns.add(turn)
      } catch (error) {
        failed(error)
        await sleep(AFTER_A_FAILURE_MS, undefined, { signal: stop.signal }).catch(() => undefined)
      }
    }
  })()
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      bell.ring()
      await running
      await Promise.all(turns)
      await listener[Symbol.asyncDispose]()
    },
  }
}

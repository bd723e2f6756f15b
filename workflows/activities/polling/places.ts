import type { DuePoll } from '../../../db/polling/due.ts'

/** Polls at once of a shard, and of one merchant in it. */
const PLACES = 16
const PER_MERCHANT = 4
/**
 * The limit while the process is busy, for running polls that began less than a second ago. More of them would not finish
 * sooner, and would keep what they read in memory for longer (decision 94). Older ones are not counted: they wait for a slow
 * PSP or read a backlog, and others should not wait for them.
 */
const NEW_WHILE_BUSY = 4
const NEW_MS = 1_000

/** The polls that a shard runs at once. */
export interface Places {
  size: number
  /** Whether there is a place for another poll. */
  open(): boolean
  /** The first of the queue that may begin now; -1 if none may. */
  next(queue: { poll: DuePoll }[]): number
  take(poll: DuePoll): void
  leave(poll: DuePoll): void
  /** The integrations that are polled. */
  ids(): string[]
}

/** @param isBusy whether the process has more to do than it can */
export function createPlaces(isBusy: () => boolean): Places {
  const running = new Map<string, { merchantUuid: string; since: number }>()
  const open = () => {
    if (running.size >= PLACES) return false
    if (running.size < NEW_WHILE_BUSY || !isBusy()) return true
    const recently = performance.now() - NEW_MS
    return [...running.values()].filter(({ since }) => since > recently).length < NEW_WHILE_BUSY
  }
  return {
    get size() {
      return running.size
    },
    open,
    next(queue) {
      if (!open()) return -1
      const merchants = [...running.values()].map(({ merchantUuid }) => merchantUuid)
      const ofMerchant = (uuid: string) => merchants.filter((one) => one === uuid).length
      return queue.findIndex(({ poll }) => ofMerchant(poll.merchantUuid) < PER_MERCHANT)
    },
    take({ integrationId, merchantUuid }) {
      running.set(integrationId, { merchantUuid, since: performance.now() })
    },
    leave({ integrationId }) {
      running.delete(integrationId)
    },
    ids: () => [...running.keys()],
  }
}

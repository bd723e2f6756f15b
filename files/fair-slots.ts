import { NoSlot } from './refusals.ts'

/**
 * Slots shared by accounts. One account holds at most half of them, so that others always find room; waiting accounts
 * take turns, and each waits a bounded time.
 */
export interface FairSlots {
  /** Disposing the result releases the slot. @throws NoSlot */
  take(account: string): Promise<Disposable>
}

interface Waiter {
  start(slot: Disposable): void
}

/**
 * @param slots in total, over all accounts
 * @param waiting queue length per account
 * @param waitMs milliseconds after which a queued caller is refused
 */
export function createFairSlots({
  slots,
  waiting,
  waitMs,
}: {
  slots: number
  waiting: number
  waitMs: number
}): FairSlots {
  const share = Math.max(1, Math.floor(slots / 2))
  const held = new Map<string, number>()
  /** In the order of turns: a served account moves to the end. */
  const queues = new Map<string, Waiter[]>()
  let free = slots

  const hasRoom = (account: string) => free > 0 && (held.get(account) ?? 0) < share

  function hold(account: string): Disposable {
    free--
    held.set(account, (held.get(account) ?? 0) + 1)
    let given = false
    return {
      [Symbol.dispose]() {
        if (given) return
        given = true
        free++
        const rest = (held.get(account) ?? 1) - 1
        if (rest > 0) held.set(account, rest)
        else held.delete(account)
        serveNext()
      },
    }
  }

  function serveNext(): void {
    for (const [account, queue] of queues) {
      if (!hasRoom(account)) continue
      const next = queue.shift()
      queues.delete(account)
      if (queue.length > 0) queues.set(account, queue)
      next?.start(hold(account))
      return
    }
  }

  return {
    async take(account) {
      const queue = queues.get(account) ?? []
      if (queue.length === 0 && hasRoom(account)) return hold(account)
      if (queue.length >= waiting) throw new NoSlot()
      return new Promise<Disposable>((resolve, reject) => {
        const tired = setTimeout(() => {
          queue.splice(queue.indexOf(waiter), 1)
          if (queue.length === 0 && queues.get(account) === queue) queues.delete(account)
          reject(new NoSlot())
        }, waitMs)
        const waiter: Waiter = {
          start(slot) {
            clearTimeout(tired)
            resolve(slot)
          },
        }
        queue.push(waiter)
        queues.set(account, queue)
      })
    },
  }
}

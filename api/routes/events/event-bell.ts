/** Wakes requests that wait for events; none of them holds a database connection meanwhile. */
export interface EventBell {
  /** Registers before the caller reads, so that no event falls between. Call `cancel` at the end. */
  expect(merchantUuid: string): { rung: Promise<void>; cancel(): void }
  /** Events of a merchant; without one, perhaps of all. */
  ring(merchantUuid?: string): void
  /** Wakes all, and lets nobody wait any more: the process stops. */
  close(): void
  readonly isClosed: boolean
}

export function createEventBell(): EventBell {
  const waiting = new Map<string, Set<() => void>>()
  let isClosed = false
  const bell: EventBell = {
    expect(merchantUuid) {
      const { promise, resolve } = deferred()
      const own = waiting.get(merchantUuid) ?? new Set()
      waiting.set(merchantUuid, own.add(resolve))
      return {
        rung: promise,
        cancel() {
          own.delete(resolve)
          if (own.size === 0 && waiting.get(merchantUuid) === own) waiting.delete(merchantUuid)
        },
      }
    },
    ring(merchantUuid) {
      const rung = merchantUuid ? [waiting.get(merchantUuid) ?? []] : waiting.values()
      for (const own of rung) for (const wake of own) wake()
    },
    close() {
      isClosed = true
      bell.ring()
    },
    get isClosed() {
      return isClosed
    },
  }
  return bell
}

function deferred() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

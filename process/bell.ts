/** Wakes who waits. A ring that nobody waits for is kept for the next one who does. */
export interface Bell {
  /** Wakes one waiter. */
  ring(): void
  /** Until the bell rings, at most so many ms. @returns whether it rang */
  wait(ms: number): Promise<boolean>
}

export function createBell(): Bell {
  const waiting = new Set<(rang: boolean) => void>()
  let rung = false
  return {
    ring() {
      const [first] = waiting
      if (first) first(true)
      else rung = true
    },
    wait(ms) {
      if (rung) {
        rung = false
        return Promise.resolve(true)
      }
      return new Promise((resolve) => {
        const wake = (rang: boolean) => {
          clearTimeout(timer)
          waiting.delete(wake)
          resolve(rang)
        }
        const timer = setTimeout(wake, ms, false)
        waiting.add(wake)
      })
    },
  }
}

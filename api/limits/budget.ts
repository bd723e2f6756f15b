/** Something scarce of this process that requests hold while they are under way: bytes, places. */
export interface Budget {
  /**
   * Takes `amount` if that is left, and if none of the owners has more than its share afterwards.
   * @param shares the most that each owner may hold, by the owner's name
   * @returns gives it back, once; null when it is not to be had
   */
  take(amount: number, shares: Readonly<Record<string, number>>): (() => void) | null
}

export function createBudget(total: number): Budget {
  const held = new Map<string, number>()
  let left = total
  return {
    take(amount, shares) {
      const owners = Object.entries(shares)
      if (amount > left || owners.some(([owner, share]) => (held.get(owner) ?? 0) + amount > share)) return null
      const add = (change: number) => {
        left -= change
        for (const [owner] of owners) {
          const now = (held.get(owner) ?? 0) + change
          if (now > 0) held.set(owner, now)
          else held.delete(owner)
        }
      }
      add(amount)
      let returned = false
      return () => {
        if (!returned) add(-amount)
        returned = true
      }
    },
  }
}

/** A limited resource of this process that requests hold while they are in flight, such as bytes or slots. */
export interface Budget {
  /**
   * Takes `amount` if available and if no owner would exceed its share.
   * @param shares maximum per owner, by the owner's name
   * @returns a function that releases it once; null when it is not available
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

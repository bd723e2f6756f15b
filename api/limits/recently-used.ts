export interface RecentlyUsed<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  delete(key: string): void
}

/** An LRU map of at most `limit` entries. */
export function recentlyUsed<Value>(limit: number): RecentlyUsed<Value> {
  const entries = new Map<string, Value>()
  return {
    get(key) {
      const value = entries.get(key)
      if (value === undefined) return undefined
      entries.delete(key)
      entries.set(key, value)
      return value
    },
    set(key, value) {
      entries.delete(key)
      entries.set(key, value)
      const [oldest] = entries.size > limit ? entries.keys() : []
      if (oldest !== undefined) entries.delete(oldest)
    },
    delete: (key) => void entries.delete(key),
  }
}

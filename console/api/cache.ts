/** What is known of one read. A failure leaves earlier data in place. */
export interface Reading<T> {
  data: T | undefined
  failure: Error | undefined
  /** Time of the data, ms. */
  at: number
  loading: boolean
}

interface Entry extends Reading<unknown> {
  listeners: Set<() => void>
  load: Load<unknown>
  controller: AbortController | undefined
  /** The end of the latest request. */
  finished: Promise<void>
}

type Load<T> = (signal: AbortSignal, background: boolean) => Promise<T>

/** Data older than this is read again when it is used, ms. */
const STALE_MS = 15_000

/**
 * Keeps the latest answer of each read, by its key. One request at a time for each key; a request that nobody waits for
 * is aborted; an answer that a newer request has overtaken is dropped.
 */
export function createCache(now: () => number = Date.now) {
  const entries = new Map<string, Entry>()

  function refresh(key: string, background = false): Promise<void> {
    const entry = entries.get(key)
    if (!entry) return Promise.resolve()
    entry.controller?.abort()
    const controller = new AbortController()
    entry.controller = controller
    entry.loading = true
    const finish = (change: Partial<Reading<unknown>>) => {
      if (entry.controller !== controller) return
      Object.assign(entry, change, { loading: false, controller: undefined })
      for (const listener of [...entry.listeners]) listener()
    }
    entry.finished = entry.load(controller.signal, background).then(
      (data) => finish({ data, failure: undefined, at: now() }),
      (failure) => finish({ failure }),
    )
    return entry.finished
  }

  /** Reads it unless a read is running, or its data is new. */
  function asked(key: string, load: Load<unknown>): Entry {
    const entry: Entry = entries.get(key) ?? {
      ...{ data: undefined, failure: undefined, at: Number.NEGATIVE_INFINITY, loading: false },
      ...{ listeners: new Set<() => void>(), load, controller: undefined, finished: Promise.resolve() },
    }
    entries.set(key, entry)
    entry.load = load
    if (!entry.loading && now() - entry.at > STALE_MS) void refresh(key)
    return entry
  }

  return {
    refresh,

    reading: (key: string): Reading<unknown> | undefined => entries.get(key),

    /** Asks for what will be used in a moment. @returns when the answer is there */
    ahead: (key: string, load: Load<unknown>): Promise<void> => asked(key, load).finished,

    /** @returns a function that ends the use */
    use(key: string, load: Load<unknown>, listener: () => void): () => void {
      const entry = asked(key, load)
      entry.listeners.add(listener)
      return () => {
        entry.listeners.delete(listener)
        if (entry.listeners.size > 0) return
        entry.controller?.abort()
        entry.controller = undefined
        entry.loading = false
      }
    },

    /**
     * Reads everything again that is in use and whose key begins so; forgets the rest.
     * @param background the person did not cause it
     */
    async invalidate(prefix: string, background = false): Promise<void> {
      const reads: Promise<void>[] = []
      for (const [key, entry] of entries) {
        if (!key.startsWith(prefix)) continue
        if (entry.listeners.size > 0) reads.push(refresh(key, background))
        else entries.delete(key)
      }
      await Promise.all(reads)
    },

    /** Forgets deleted data, or all data when the session ends. A component that still shows it sends no more requests. */
    forget(prefix = ''): void {
      for (const [key, entry] of entries) {
        if (!key.startsWith(prefix)) continue
        entry.controller?.abort()
        entries.delete(key)
      }
    },
  }
}

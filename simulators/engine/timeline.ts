import type { Ordered } from './contract.ts'

export interface Window<T> {
  /** Inclusive bounds of `at`. */
  from?: number | undefined
  until?: number | undefined
  /** Only what comes after this one in the list (older), or before it (newer). */
  after?: T | undefined
  before?: T | undefined
  limit: number
  matches?: ((item: T) => boolean) | undefined
}

/** Records in order of time with ties in order of arrival; pages are newest first and cost O(log n + page). */
export interface Timeline<T extends Ordered> {
  add(item: T): void
  remove(item: T): void
  page(window: Window<T>): { items: T[]; hasMore: boolean }
  all(): readonly T[]
  newest(): T | undefined
}

export function createTimeline<T extends Ordered>(): Timeline<T> {
  const items: T[] = []
  let sorted = true

  function order(a: Ordered, b: Ordered): number {
    return a.at - b.at || a.sequence - b.sequence
  }
  function sort(): void {
    if (!sorted) items.sort(order)
    sorted = true
  }
  /** Index of the first item that is not before `point`. */
  function lowerBound(point: Ordered): number {
    let low = 0
    let high = items.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const item = items[middle]
      if (item !== undefined && order(item, point) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    add(item) {
      const last = items.at(-1)
      if (last !== undefined && order(last, item) > 0) sorted = false
      items.push(item)
    },
    remove(item) {
      sort()
      const index = lowerBound(item)
      if (items[index] === item) items.splice(index, 1)
    },
    page({ from, until, after, before, limit, matches }) {
      sort()
      let low = from === undefined ? 0 : lowerBound({ at: from, sequence: -1 })
      let high = until === undefined ? items.length : lowerBound({ at: until, sequence: Number.MAX_SAFE_INTEGER })
      if (after) high = Math.min(high, lowerBound(after))
      if (before) low = Math.max(low, lowerBound(before) + 1)
      const found: T[] = []
      // Towards a newer page the nearest ones count, so that walk goes up.
      const upwards = before !== undefined && after === undefined
      for (let step = 0; step < high - low && found.length <= limit; step++) {
        const item = items[upwards ? low + step : high - 1 - step]
        if (item !== undefined && (matches === undefined || matches(item))) found.push(item)
      }
      const hasMore = found.length > limit
      const page = found.slice(0, limit)
      return { items: upwards ? page.reverse() : page, hasMore }
    },
    all() {
      sort()
      return items
    },
    newest() {
      sort()
      return items.at(-1)
    },
  }
}

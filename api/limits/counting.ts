import type { WindowState } from '../../db/merchants/request-counts.ts'

type Count = (requests: ReadonlyMap<string, number>) => Promise<Map<string, WindowState>>

/**
 * Counts one request at a time for its callers, and many at once for Postgres: requests that arrive while a count is running
 * are counted together by the next. An idle API waits for nothing, a busy one sends a fraction of the statements.
 */
export function countTogether(count: Count): (key: string) => Promise<WindowState> {
  let next: { requests: Map<string, number>; counted: Promise<Map<string, WindowState>> } | undefined
  let running: Promise<unknown> = Promise.resolve()
  return async (key) => {
    if (!next) {
      const requests = new Map<string, number>()
      const counted = running.then(() => {
        next = undefined
        return count(requests)
      })
      running = counted.catch(() => {})
      next = { requests, counted }
    }
    const { requests, counted } = next
    const place = (requests.get(key) ?? 0) + 1
    requests.set(key, place)
    const state = (await counted).get(key)
    if (!state) throw new Error('a request was not counted')
    const later = (requests.get(key) ?? place) - place
    return { ...state, consumedPoints: state.consumedPoints - later }
  }
}

import type { Scan, Window } from './cursor.ts'

/** Most windows at the same time. If Stripe responds within half a second, four make eight requests a second. */
const MOST = 4
/** A scan is long once it has read so many pages. */
const PAGES_BEFORE = 20
/** A window with fewer pages, as the page before it suggests, is not worth its own first request. */
const PAGES_WORTH = 4

/**
 * What is left of a window after a page, as one window or, in a long scan, as several of equal time. `created` of a
 * dispute never changes, so none is in two of them.
 * @param times of the page, unix seconds
 */
export function splitRest(
  { sweep, pages, windows }: Scan,
  rest: Window,
  { newest, oldest }: { newest: number | null; oldest: number | null },
): Window[] {
  if (!sweep || pages + 1 < PAGES_BEFORE || newest === null || oldest === null) return [rest]
  const left = oldest - rest.from
  const pagesLeft = left / Math.max(1, newest - oldest)
  const parts = Math.min(MOST + 1 - windows.length, Math.floor(pagesLeft / PAGES_WORTH), left)
  if (parts < 2) return [rest]
  const start = (part: number) => rest.from + Math.floor((left * part) / parts)
  const older = Array.from({ length: parts - 1 }, (_, index) => {
    const part = parts - 2 - index
    return { from: start(part), before: start(part + 1), after: null }
  })
  return [{ ...rest, from: start(parts - 1) }, ...older]
}

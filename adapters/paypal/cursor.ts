import { z } from 'zod'
import type { CursorDefinition } from '../contract.ts'

const seconds = z.number().int()
const bound = z.object({ from: seconds.nullable(), until: seconds.nullable() })

const cursor = z.object({
  /** Newest `update_time` of all completed scans, unix seconds by PayPal's clock. */
  highWater: seconds.nullable(),
  /** When the last scan began that read everything PayPal lists. */
  sweptAt: seconds.nullable(),
  /** Rows just behind the mark that were read already, as the key of a row. */
  known: z.array(z.string()),
  /** The scan that is under way. Rows come in order of creation, so the mark stays until it is complete. */
  scan: z
    .object({
      startedAt: seconds,
      sweep: z.boolean(),
      newest: seconds.nullable(),
      /** Windows of `update_time` still to be read, the first one being read; null = PayPal's own bound. */
      windows: z.array(bound).min(1),
      /** Pages read of the first window. */
      pages: z.number().int(),
      /** The page handed out last and the one behind it, as paths; null before the first page of a window. */
      page: z.string().nullable(),
      next: z.string().nullable(),
      /** Marks on the page handed out last, and before them those handed out of the page behind it. */
      handed: z.array(z.string()),
      known: z.array(z.string()),
    })
    .nullable(),
})

export type PayPalCursor = z.infer<typeof cursor>
export type Scan = NonNullable<PayPalCursor['scan']>
export type Bound = z.infer<typeof bound>

/** PayPal lists what was updated within 180 days; a day is left for clocks that differ. */
export const LOOKBACK_DAYS = 180
const DAY = 86_400
/** Updates may appear in the list a little late. */
const OVERLAP = 600
/** Everything once a week: a safety net below the update times. */
const SWEEP_EVERY = 7 * DAY
/** A scan that was left lying is begun again: its window may have left PayPal's 180 days. */
const SCAN_LIFE = DAY
const KNOWN_ROWS = 500
/** A row may change again within its second, so it counts as known only when that second is well over. */
const SETTLED = 60

export const paypalCursor: CursorDefinition<PayPalCursor> = {
  version: 1,
  schema: cursor,
  initial: () => ({ highWater: null, sweptAt: null, known: [], scan: null }),
  migrate: (stored) => {
    const read = stored.version === 1 ? cursor.safeParse(stored.value) : null
    return read?.success ? read.data : null
  },
}

/**
 * The scan to go on with, or a new one: from ten minutes behind the mark, or everything when there is no mark yet and
 * once a week. The upper bound is left to PayPal's clock, and so is the lower one of a sweep: a bound of ours could be
 * in PayPal's future, which it refuses, and an upper bound would let disputes leave the window while it is read.
 */
export function openScan(stored: PayPalCursor, now: Date): Scan {
  const present = unixSeconds(now)
  const { scan, highWater, sweptAt } = stored
  if (scan && Math.abs(present - scan.startedAt) < SCAN_LIFE) return scan
  const sweep = highWater === null || sweptAt === null || sweptAt > present || present - sweptAt >= SWEEP_EVERY
  const oldest = present - (LOOKBACK_DAYS - 1) * DAY
  const from = sweep ? null : Math.max(Math.min(highWater, present) - OVERLAP, oldest)
  const window = { from, until: null }
  const fresh = { pages: 0, page: null, next: null, handed: [], known: [] }
  return { startedAt: present, sweep, newest: null, windows: [window], ...fresh }
}

/** The scan with its first window cut in two, older half first; null when it is down to a second. */
export function bisect(scan: Scan): Scan | null {
  const [window, ...rest] = scan.windows
  const from = window?.from ?? scan.startedAt - (LOOKBACK_DAYS - 1) * DAY
  const until = window?.until ?? scan.startedAt
  const middle = Math.floor((from + until) / 2)
  if (middle <= from) return null
  const halves = [
    { from, until: middle },
    { from: middle, until: window?.until ?? null },
  ]
  return { ...scan, windows: [...halves, ...rest], pages: 0, page: null, next: null, handed: [] }
}

/** The scan behind the last page of its first window; null when that was the last window. */
export function closeWindow(scan: Scan): Scan | null {
  const windows = scan.windows.slice(1)
  return windows.length === 0 ? null : { ...scan, windows, pages: 0, page: null, next: null, handed: [] }
}

/** The cursor behind a completed scan. Unchanged when nothing new was seen, so that it need not be stored again. */
export function closeScan(stored: PayPalCursor, scan: Scan): PayPalCursor {
  const marks = [stored.highWater, scan.newest].filter((mark) => mark !== null)
  const highWater = marks.length === 0 ? null : Math.min(Math.max(...marks), scan.startedAt)
  const known = scan.known.filter((key) => Number(key.split(':', 1)[0]) >= (highWater ?? 0) - OVERLAP)
  return { highWater, sweptAt: scan.sweep ? scan.startedAt : stored.sweptAt, known: known.sort(), scan: null }
}

/** What the scan knows after a page with these rows. */
export function noteRows(scan: Scan, rows: readonly { key: string | null; updatedAt: number | null }[]): Scan {
  // A time ahead of the clock makes no sense and must not move the mark.
  const times = rows.map((row) => row.updatedAt).filter((time) => time !== null && time <= scan.startedAt)
  const newest = Math.max(scan.newest ?? Number.NEGATIVE_INFINITY, ...times.map(Number))
  const settled = rows.flatMap(({ key, updatedAt }) =>
    key !== null && updatedAt !== null && updatedAt <= scan.startedAt - SETTLED ? [key] : [],
  )
  const recent = [...new Set([...scan.known, ...settled])]
    .filter((key) => Number(key.split(':', 1)[0]) >= newest - OVERLAP)
    .sort()
    .slice(-KNOWN_ROWS)
  return { ...scan, newest: Number.isFinite(newest) ? newest : null, known: recent }
}

export function unixSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}

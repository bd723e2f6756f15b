import { z } from 'zod'
import type { CursorDefinition } from '../contract.ts'

const seconds = z.number().int()
const bound = z.object({ from: seconds.nullable(), until: seconds.nullable() })

const cursor = z.object({
  /** Newest `update_time` of all completed scans, unix seconds by PayPal's clock. */
  highWater: seconds.nullable(),
  /** Start of the last complete scan. */
  sweptAt: seconds.nullable(),
  /** Keys of rows just behind the mark that were read already. */
  known: z.array(z.string()),
  /** The scan in progress. Rows come in order of creation, so the mark stays until it is complete. */
  scan: z
    .object({
      startedAt: seconds,
      sweep: z.boolean(),
      newest: seconds.nullable(),
      /** Windows of `update_time` still to be read, the current one first; null = PayPal's own bound. */
      windows: z.array(bound).min(1),
      /** Pages read of the first window. */
      pages: z.number().int(),
      /** Paths of the last returned page and of the next one; null before the first page of a window. */
      page: z.string().nullable(),
      next: z.string().nullable(),
      /** Row keys of the last returned page, after those already returned of the next page. */
      handed: z.array(z.string()),
      known: z.array(z.string()),
    })
    .nullable(),
})

export type PayPalCursor = z.infer<typeof cursor>
export type Scan = NonNullable<PayPalCursor['scan']>
export type Bound = z.infer<typeof bound>

/** PayPal lists disputes updated within 180 days; one day is left for clock skew. */
export const LOOKBACK_DAYS = 180
const DAY = 86_400
/** Updates may appear in the list with a delay. */
const OVERLAP = 600
/** A weekly complete scan: a safety net beneath the update times. */
const SWEEP_EVERY = 7 * DAY
/** An abandoned scan is restarted: its window may have left PayPal's 180 days. */
const SCAN_LIFE = DAY
const KNOWN_ROWS = 500
/** A row may change again within the same second, so it is final only after that second. */
const FINAL_AFTER_SECONDS = 60

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
 * The scan to continue, or a new one: from ten minutes before the mark, or a complete scan when there is no mark, and
 * once a week. PayPal's clock sets the upper bound, and the lower one of a complete scan: a bound set by Recoup could lie
 * in PayPal's future, which it refuses, and with an upper bound disputes would leave the window while it is read.
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

/** Splits the scan's first window in two, older half first; null when it is only a second long. */
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

/** The scan after the last page of its first window; null when that was the last window. */
export function closeWindow(scan: Scan): Scan | null {
  const windows = scan.windows.slice(1)
  return windows.length === 0 ? null : { ...scan, windows, pages: 0, page: null, next: null, handed: [] }
}

/** The cursor after a completed scan. Unchanged when nothing new was seen, so that it need not be stored. */
export function closeScan(stored: PayPalCursor, scan: Scan): PayPalCursor {
  const marks = [stored.highWater, scan.newest].filter((mark) => mark !== null)
  const highWater = marks.length === 0 ? null : Math.min(Math.max(...marks), scan.startedAt)
  const known = scan.known.filter((key) => Number(key.split(':', 1)[0]) >= (highWater ?? 0) - OVERLAP)
  return { highWater, sweptAt: scan.sweep ? scan.startedAt : stored.sweptAt, known: known.sort(), scan: null }
}

/** Updates the scan after a page with these rows. */
export function noteRows(scan: Scan, rows: readonly { key: string | null; updatedAt: number | null }[]): Scan {
  // A time in the future is invalid and must not move the mark.
  const times = rows.map((row) => row.updatedAt).filter((time) => time !== null && time <= scan.startedAt)
  const newest = Math.max(scan.newest ?? Number.NEGATIVE_INFINITY, ...times.map(Number))
  const final = rows.flatMap(({ key, updatedAt }) =>
    key !== null && updatedAt !== null && updatedAt <= scan.startedAt - FINAL_AFTER_SECONDS ? [key] : [],
  )
  const recent = [...new Set([...scan.known, ...final])]
    .filter((key) => Number(key.split(':', 1)[0]) >= newest - OVERLAP)
    .sort()
    .slice(-KNOWN_ROWS)
  return { ...scan, newest: Number.isFinite(newest) ? newest : null, known: recent }
}

export function unixSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}

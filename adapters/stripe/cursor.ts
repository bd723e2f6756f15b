import { z } from 'zod'
import type { CursorDefinition } from '../contract.ts'
import { asRecord } from '../shared/raw-json.ts'

const seconds = z.number().int()

/** A part of the scan, by `created`: from `from` on, before `before`. */
const window = z.object({
  from: seconds,
  /** Null: without an end, so that disputes created meanwhile are in it. */
  before: seconds.nullable(),
  /** The dispute that the next page starts after; null: at the top. */
  after: z.string().nullable(),
})

/** Versions without windows stored `after` at the scan: such a scan has one window. */
const inWindows = (scan: unknown) => {
  const { from, after, windows } = asRecord(scan) ?? {}
  return after === undefined || windows !== undefined
    ? scan
    : { ...asRecord(scan), windows: [{ from, before: null, after }] }
}

const cursor = z.object({
  /** Newest `created` of all completed scans, unix seconds. */
  highWater: seconds.nullable(),
  /** Start of the last scan that covered the whole look-back. */
  sweptAt: seconds.nullable(),
  /** The scan in progress. Rows come newest first, so the values above stay until it is complete. */
  scan: z.preprocess(
    inWindows,
    z
      .object({
        from: seconds,
        startedAt: seconds,
        sweep: z.boolean(),
        newest: seconds.nullable(),
        pages: z.number().int(),
        /** Stripe no longer had the dispute that a page was to start after. The rest of the scan uses no known pages. */
        restarted: z.boolean().optional(),
        /** What is left to read, newest first. They don't overlap. */
        windows: z.array(window).min(1),
      })
      .nullable(),
  ),
})

export type StripeCursor = z.infer<typeof cursor>
export type Scan = NonNullable<StripeCursor['scan']>
export type Window = z.infer<typeof window>

/** First load and weekly sweep: disputes can change long after a decision (appeals, late reversals). */
export const LOOKBACK_DAYS = 180
const DAY = 86_400
/** New disputes may appear late and out of order. */
const OVERLAP = 2 * DAY
const SWEEP_EVERY = 7 * DAY
/** An endless or abandoned scan is restarted after this time. */
const SCAN_LIFE = DAY

export const stripeCursor: CursorDefinition<StripeCursor> = {
  version: 1,
  schema: cursor,
  initial: () => ({ highWater: null, sweptAt: null, scan: null }),
  migrate: (stored) => {
    const read = stored.version === 1 ? cursor.safeParse(stored.value) : null
    return read?.success ? read.data : null
  },
  windows: ({ scan }) => scan?.windows.map(nameOf) ?? [],
}

export const nameOf = ({ from }: Window): string => String(from)

/**
 * The scan to continue, or a new one: back to the oldest dispute that may still change, and at least 48 hours before
 * the newest known one; 180 days until a first dispute was seen, and once a week. A mark in the future counts as now.
 */
export function openScan(stored: StripeCursor, oldestOpen: Date | null, now: Date): Scan {
  const present = unixSeconds(now)
  if (stored.scan && Math.abs(present - stored.scan.startedAt) < SCAN_LIFE) return stored.scan
  const { highWater, sweptAt } = stored
  // A full scan of an account without disputes costs one empty page.
  const sweep = highWater === null || sweptAt === null || present - sweptAt >= SWEEP_EVERY || sweptAt > present
  const mark = Math.min(highWater ?? present, present)
  const from = Math.min(
    sweep ? present - LOOKBACK_DAYS * DAY : mark - OVERLAP,
    oldestOpen === null ? present : unixSeconds(oldestOpen),
  )
  const windows = [{ from, before: null, after: null }]
  return { from, startedAt: present, sweep, newest: null, pages: 0, windows }
}

/** The cursor after a completed scan. Unchanged when nothing new was seen, so that it need not be stored. */
export function closeScan(stored: StripeCursor, scan: Scan): StripeCursor {
  const marks = [stored.highWater, scan.newest].filter((mark) => mark !== null)
  return {
    highWater: marks.length === 0 ? null : Math.min(Math.max(...marks), scan.startedAt),
    sweptAt: scan.sweep ? scan.startedAt : stored.sweptAt,
    scan: null,
  }
}

export function unixSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}

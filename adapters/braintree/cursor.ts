import { z } from 'zod'
import type { CursorDefinition } from '../contract.ts'
import { addDays, daysBetween } from './days.ts'

const day = z.string().regex(/^\d{4}-\d\d-\d\d$/)

const window = z.object({
  /** received: new disputes · effective: status changes of older ones · undecided: changes that neither date shows. */
  by: z.enum(['received', 'effective', 'undecided']),
  from: day.nullable(),
  to: day.nullable(),
  /** Only disputes received earlier, because newer ones are in another window. */
  before: day.nullable(),
})

const cursor = z.object({
  /** The day on which the last complete poll began. Braintree filters by day. */
  polledOn: day.nullable(),
  /** The day of the last poll that covered the whole look-back. */
  sweptOn: day.nullable(),
  /** Day of the last read of all undecided disputes. */
  undecided: z.object({ on: day, few: z.boolean() }).nullable(),
  scan: z
    .object({
      startedOn: day,
      sweep: z.boolean(),
      /** Windows still to be read; the first is in progress. */
      windows: z.array(window),
      page: z.number().int().min(1),
      /** totalItems of the window's first page. */
      total: z.number().int().nullable(),
      /** Short hashes of the ids seen in this window, while it is small enough to compare. */
      seen: z.array(z.string()),
      /** Disputes were added or removed between two pages, so an offset may have skipped one. */
      moved: z.boolean(),
      repeated: z.boolean(),
      emptyPages: z.number().int(),
      /** Unix seconds since which the next part can't be read; null when it can. */
      stuckAt: z.number().int().nullable().default(null),
      undecided: z.number().int().nullable(),
    })
    .nullable(),
})

export type BraintreeCursor = z.infer<typeof cursor>
export type Scan = NonNullable<BraintreeCursor['scan']>
export type Window = Scan['windows'][number]

/** First load and weekly sweep. */
export const LOOKBACK_DAYS = 180
/**
 * received_date can be up to two days before the dispute is readable, effective_date more. At least 3 days of overlap.
 */
const OVERLAP_DAYS = 7
const SWEEP_EVERY_DAYS = 7
/** Older undecided disputes are read in every poll while they fit on two pages, else once a day. */
const CHEAP_UNDECIDED = 100

export const braintreeCursor: CursorDefinition<BraintreeCursor> = {
  version: 1,
  schema: cursor,
  initial: () => ({ polledOn: null, sweptOn: null, undecided: null, scan: null }),
  migrate: (stored) => {
    const read = stored.version === 1 ? cursor.safeParse(stored.value) : null
    return read?.success ? read.data : null
  },
}

/** The scan to continue, or a new one. A day in the future counts as today, because a clock may have been wrong. */
export function openScan(stored: BraintreeCursor, today: string): Scan {
  if (stored.scan) return stored.scan
  const { polledOn, sweptOn, undecided } = stored
  const sweep = sweptOn === null || sweptOn > today || daysBetween(sweptOn, today) >= SWEEP_EVERY_DAYS
  const mark = polledOn === null || polledOn > today ? today : polledOn
  const changed = addDays(mark, -OVERLAP_DAYS)
  const from = sweep ? addDays(today, -LOOKBACK_DAYS) : changed
  const windows: Window[] = [
    { by: 'received', from, to: today, before: null },
    { by: 'effective', from: changed, to: today, before: from },
  ]
  if (sweep || undecided === null || undecided.on !== today || undecided.few) {
    windows.push({ by: 'undecided', from: null, to: null, before: from })
  }
  const none = { page: 1, total: null, seen: [], moved: false, repeated: false, emptyPages: 0, stuckAt: null }
  return { startedOn: today, sweep, windows, ...none, undecided: null }
}

/** The cursor after a complete scan: the day it began, not the newest date in it. */
export function closeScan(stored: BraintreeCursor, scan: Scan): BraintreeCursor {
  const { startedOn, sweep, undecided } = scan
  return {
    polledOn: startedOn,
    sweptOn: sweep ? startedOn : stored.sweptOn,
    undecided: undecided === null ? stored.undecided : { on: startedOn, few: undecided <= CHEAP_UNDECIDED },
    scan: null,
  }
}

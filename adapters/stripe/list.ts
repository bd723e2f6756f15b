import type { DisputePage, KnownPage, KnownPages, ListRequest, RawObject } from '../contract.ts'
import { PspError } from '../errors.ts'
import { isStorable, sliceJson } from '../shared/raw-json.ts'
import type { StripeClient } from './client.ts'
import { closeScan, nameOf, openScan, type Scan, type StripeCursor, type Window } from './cursor.ts'
import { noResponse } from './errors.ts'
import type { Expansion } from './fetch.ts'
import { splitRest } from './windows.ts'

/** Stripe's maximum page size. */
export const PAGE_SIZE = 100
/** A scan with ten million disputes counts as an endless list. */
const MAX_PAGES = 100_000

/**
 * Reads one page of a window of the scan, newest first. Stripe can't filter by status or by change, so changes are found
 * by reading everything again, back to the oldest dispute that may still change.
 *
 * The key of a page is the dispute that it starts after. New disputes shift the end of the newest page. So the scan
 * continues after the last dispute on it that a known page starts after, and reads a few disputes twice: the older pages
 * keep their bytes. The first load and the weekly sweep use no known page, and are split into windows.
 * @throws PspError of any kind that a read has
 */
export async function listDisputes(
  client: StripeClient,
  expansion: Expansion,
  now: Date,
  request: ListRequest<StripeCursor>,
): Promise<DisputePage<StripeCursor>> {
  const scan = openScan(request.cursor, request.oldestOpen, now)
  const window = scan.windows.find((one) => nameOf(one) === request.window) ?? (scan.windows[0] as Window)
  const at: Place = { scan, window, before: request.cursor }
  const known = scan.sweep || scan.restarted ? NONE : (request.known ?? NONE)
  const key = window.after ?? (window.before === null ? NEWEST : null)
  const page = await readPage(client, expansion, at, key === null ? undefined : known.get(key))
  // The dispute that the page starts after is gone: read the window again from its top.
  if (page === null) {
    const again = { ...window, after: null }
    return advancing(at, [], (current) => ({
      ...current,
      pages: 0,
      restarted: true,
      windows: withParts(current, at, [again]),
    }))
  }

  const { items, hasMore, fingerprint, unchanged, newest } = page
  const last = page.references.findLast((reference) => known.has(reference)) ?? page.references.at(-1) ?? null
  const after = unchanged ? page.after : last
  if (hasMore && (after === null || after === window.after || scan.pages + 1 >= MAX_PAGES)) {
    throw new PspError('unavailable', "Stripe's list of disputes does not come to an end. It is read again later.")
  }
  const listed = key !== null &&
    fingerprint && {
      ...{ key, fingerprint, unchanged, objects: page.objects },
      next: { hasMore, after, newest } satisfies Next,
    }
  const advanced = advancing(at, items, (current) => ({
    ...current,
    pages: current.pages + 1,
    newest: newerOf(current, newest),
    windows: withParts(current, at, hasMore ? splitRest(current, { ...window, after }, page) : []),
  }))
  return { ...advanced, ...(listed && { listed }) }
}

/** What a page was read for. */
interface Place {
  scan: Scan
  window: Window
  before: StripeCursor
}

/** The page, with the cursor after it; `move` moves the scan that the cursor has by then. */
function advancing(at: Place, items: RawObject[], move: (scan: Scan) => Scan): DisputePage<StripeCursor> {
  const advance = (current: StripeCursor): StripeCursor => {
    const scan = scanOf(current, at)
    if (!scan?.windows.some(({ from }) => from === at.window.from)) return current
    const moved = move(scan)
    return moved.windows.length === 0 ? closeScan(current, moved) : { ...current, scan: moved }
  }
  const cursor = advance(at.before)
  return { items, cursor, hasMore: cursor.scan !== null, advance }
}

/** The scan that a page belongs to; null if another scan was begun meanwhile, which reads it again. */
function scanOf({ scan }: StripeCursor, at: Place): Scan | null {
  if (scan?.startedAt === at.scan.startedAt) return scan
  return scan?.startedAt === at.before.scan?.startedAt ? at.scan : null
}

/** The windows with others in the place of the page's. */
const withParts = ({ windows }: Scan, { window }: Place, parts: Window[]): Window[] =>
  windows.flatMap((one) => (one.from === window.from ? parts : [one]))

const NONE: KnownPages = new Map()
/** Key of the page that starts at the top of the window. */
const NEWEST = 'newest'

/** Stored with a page: enough to continue after it without parsing it. */
interface Next {
  hasMore: boolean
  /** The dispute that the scan continues after. */
  after: string | null
  /** Newest `created` on the page, unix seconds. */
  newest: number | null
}

interface Page extends Next {
  /** Oldest `created` on the page, unix seconds; null for an unchanged page. */
  oldest: number | null
  items: RawObject[]
  /** Ids of its disputes that the scan can continue after. */
  references: string[]
  objects: number
  fingerprint: Buffer | null
  unchanged: boolean
}

async function readPage(
  client: StripeClient,
  expansion: Expansion,
  { scan, window }: Place,
  known: KnownPage | undefined,
): Promise<Page | null> {
  try {
    const answer = await expansion.attempt((charge) =>
      client.readPage(known?.fingerprint, (sdk, options) =>
        sdk.disputes.list(
          {
            created: { gte: window.from, ...(window.before !== null && { lt: window.before }) },
            limit: PAGE_SIZE,
            ...(window.after !== null && { starting_after: window.after }),
            ...(charge && { expand: ['data.charge'] }),
          },
          options,
        ),
      ),
    )
    const { fingerprint, unchanged } = answer
    if (known && unchanged)
      return {
        items: [],
        references: [],
        objects: known.objects,
        oldest: null,
        fingerprint,
        unchanged,
        ...(known.next as Next),
      }
    const { rows, hasMore } = answer
    const texts = sliceJson(answer.text, 'data')
    if (texts?.length !== rows.length) throw noResponse('read')
    const items = texts.map((text, index) => ({ reference: referenceOf(rows[index]), text, value: rows[index] }))
    const references = items.flatMap(({ reference }) => reference ?? [])
    return {
      items,
      references,
      objects: rows.length,
      fingerprint,
      unchanged,
      hasMore,
      ...timesOf(rows, scan),
      after: null,
    }
  } catch (error) {
    const refused = error instanceof PspError && (error.kind === 'not_found' || error.kind === 'invalid_request')
    if (refused && window.after !== null) return null
    throw error
  }
}

/** The id of a row, if usable. */
export function referenceOf(row: unknown): string | null {
  const id = (row as { id?: unknown } | null)?.id
  return typeof id === 'string' && id !== '' && id.length <= 255 && isStorable(id) ? id : null
}

/** An invalid time must not move the mark, or the windows; the object itself goes to quarantine. */
function timesOf(rows: unknown[], scan: Scan): { newest: number | null; oldest: number | null } {
  const times = rows
    .map((row) => (row as { created?: unknown } | null)?.created)
    .filter((time): time is number => Number.isSafeInteger(time) && (time as number) <= scan.startedAt)
  return times.length === 0
    ? { newest: null, oldest: null }
    : { newest: Math.max(...times), oldest: Math.min(...times) }
}

const newerOf = ({ newest }: Scan, time: number | null): number | null =>
  time === null ? newest : Math.max(time, newest ?? Number.NEGATIVE_INFINITY)

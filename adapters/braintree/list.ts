import { createHash } from 'node:crypto'
import type { DisputePage, RawObject } from '../contract.ts'
import { PspError } from '../errors.ts'
import { asRecord, isStorable } from '../shared/raw-json.ts'
import { canonicalText } from './canonical.ts'
import type { BraintreeClient } from './client.ts'
import { type BraintreeCursor, closeScan, openScan, type Scan, type Window } from './cursor.ts'
import { dayOf } from './days.ts'
import { Failed, noResponse, TooSlow, Unreadable } from './errors.ts'
import { COMFORTABLE, criteriaOf, isWide, narrowed } from './windows.ts'

/** Braintree's fixed page size. */
export const PAGE_SIZE = 50
/** A window with half a million disputes counts as an endless list. */
const MAX_PAGES = 10_000
const MAX_EMPTY_PAGES = 3

/** Seconds during which an unreadable window is retried before it is split or skipped. */
const PATIENCE = 600

/**
 * Reads up to about one page of a poll, and returns the cursor after it. Braintree has no filter on change, so three
 * queries replace it: received lately, status changed lately, undecided at any age. Their disputes don't overlap. Rows
 * read before a failure are returned; the next call meets the failure again.
 * @throws PspError of any kind that a read has
 */
export async function listDisputes(
  client: BraintreeClient,
  now: Date,
  stored: BraintreeCursor,
): Promise<DisputePage<BraintreeCursor>> {
  const page: DisputePage<BraintreeCursor> = { items: [], cursor: stored, hasMore: true }
  while (page.hasMore && page.items.length < PAGE_SIZE) {
    try {
      const { items, cursor, hasMore, keep } = await readOn(client, now, page.cursor)
      page.items.push(...items)
      Object.assign(page, { cursor, hasMore })
      if (keep) break
    } catch (error) {
      if (page.items.length === 0) throw error
      break
    }
  }
  return page
}

/** `keep`: the cursor must be stored before the next call, which may fail. */
type Read = DisputePage<BraintreeCursor> & { keep?: boolean }

async function readOn(client: BraintreeClient, now: Date, stored: BraintreeCursor): Promise<Read> {
  const scan = openScan(stored, dayOf(now))
  const [window] = scan.windows
  if (!window) return { items: [], cursor: closeScan(stored, scan), hasMore: false }
  try {
    const page = await readPage(client, window, scan.page)
    const parts = scan.page === 1 && page.total > COMFORTABLE ? narrowed(window) : null
    if (parts) return { items: [], cursor: { ...stored, scan: begin(scan, parts) }, hasMore: true }
    const next = behind(scan, window, page)
    return next.windows.length === 0
      ? { items: page.items, cursor: closeScan(stored, next), hasMore: false }
      : { items: page.items, cursor: { ...stored, scan: next }, hasMore: true }
  } catch (error) {
    const { items, scan: next } = around(scan, window, error, Math.floor(now.getTime() / 1000))
    return { items, cursor: { ...stored, scan: next }, hasMore: true, keep: true }
  }
}

/**
 * Handles what could not be read. A result that is too large is split. A window that stays unreadable for a while is
 * split too, and skipped at its smallest size, with an object for the quarantine in its place: later polls try it
 * again, and everything else is read meanwhile. During an outage nothing is skipped except undecided disputes, which
 * every poll reads anew.
 * @throws the error, when the same window must be retried
 */
function around(scan: Scan, window: Window, error: unknown, present: number): { items: RawObject[]; scan: Scan } {
  if (!(error instanceof PspError) || error.kind !== 'unavailable') throw error
  const parts = narrowed(window)
  const tooMuch = error instanceof TooSlow || (error instanceof Failed && isWide(window))
  if (tooMuch && parts) return { items: [], scan: begin(scan, parts) }
  const unreadable = error instanceof Unreadable
  if (!unreadable && window.by !== 'undecided') throw error
  if (scan.stuckAt === null) return { items: [], scan: { ...scan, stuckAt: present } }
  if (Math.abs(present - scan.stuckAt) < PATIENCE) throw error
  if (unreadable && parts) return { items: [], scan: begin(scan, parts) }
  const { by, from, to } = window
  return { items: [{ reference: null, text: JSON.stringify({ unreadable: by, from, to }) }], scan: begin(scan, []) }
}

interface Page {
  items: RawObject[]
  total: number
  pageSize: number
}

/** Not with the SDK's search, which never ends after a refusal and loses rows of a short page. */
async function readPage(client: BraintreeClient, window: Window, number: number): Promise<Page> {
  const answer = await client.read((gateway) =>
    gateway.http.post(`${gateway.config.baseMerchantPath()}/disputes/advanced_search?page=${number}`, {
      search: criteriaOf(window, client.merchantAccountCodes),
    }),
  )
  const list = asRecord(answer.disputes)
  const { totalItems, pageSize, dispute } = list ?? {}
  if (!Number.isSafeInteger(totalItems) || !Number.isSafeInteger(pageSize) || Number(pageSize) < 1) {
    throw noResponse('read')
  }
  // None, one or many rows: absent, an object, or a list.
  const rows = dispute === undefined ? [] : [dispute].flat()
  const items = rows.map((row) => ({ reference: referenceOf(row), text: canonicalText(row) }))
  return { items, total: Number(totalItems), pageSize: Number(pageSize) }
}

/** The id of a row, if usable. */
export function referenceOf(row: unknown): string | null {
  const id = asRecord(row)?.id
  return typeof id === 'string' && id !== '' && id.length <= 255 && isStorable(id) ? id : null
}

/** Replaces the scan's current window by others. */
function begin(scan: Scan, windows: Window[]): Scan {
  const rest = scan.windows.slice(1)
  const top = { page: 1, total: null, seen: [], moved: false, repeated: false, emptyPages: 0, stuckAt: null }
  return { ...scan, windows: [...windows, ...rest], ...top }
}

/** The scan after a page: the next page, the same window again, or the next window. */
function behind(scan: Scan, window: Window, page: Page): Scan {
  const total = scan.total ?? page.total
  const comparable = total <= COMFORTABLE
  const hashes = page.items.flatMap(({ reference, text }) => shortHash(reference ?? text))
  const next: Scan = {
    ...scan,
    total,
    seen: comparable ? [...new Set([...scan.seen, ...hashes])] : [],
    moved: scan.moved || page.total !== total,
    emptyPages: page.items.length === 0 ? scan.emptyPages + 1 : 0,
    stuckAt: null,
  }
  if (scan.page * page.pageSize < page.total) {
    if (next.emptyPages >= MAX_EMPTY_PAGES || scan.page >= MAX_PAGES) {
      throw new Unreadable("Braintree's list of disputes does not come to an end. It is read again later.")
    }
    return { ...next, page: scan.page + 1 }
  }
  const incomplete = next.moved || (comparable && next.seen.length !== page.total)
  if (incomplete && !scan.repeated) return { ...begin(next, [window]), repeated: true }
  const undecided = window.by === 'undecided' ? page.total : next.undecided
  return { ...begin(next, []), undecided }
}

function shortHash(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 8)
}

import type { DisputePage, KnownPage, KnownPages, ListRequest, RawObject } from '../contract.ts'
import { PspError } from '../errors.ts'
import { isStorable, sliceJson } from '../shared/raw-json.ts'
import type { StripeClient } from './client.ts'
import { closeScan, openScan, type Scan, type StripeCursor } from './cursor.ts'
import { noResponse } from './errors.ts'
import type { Expansion } from './fetch.ts'

/** Stripe's maximum page size. */
export const PAGE_SIZE = 100
/** A scan with ten million disputes counts as an endless list. */
const MAX_PAGES = 100_000

/**
 * One page of the scan, newest first, and the cursor after it. Stripe has no filter on status or change, so changes are
 * found by reading everything again from the oldest dispute that may still change.
 *
 * The key of a page is the dispute that it starts after. New disputes shift the end of the newest page. So the scan
 * continues after the last dispute on it that a known page starts after, and reads a few disputes twice: the older pages
 * keep their bytes. The weekly sweep uses no known page.
 * @throws PspError of any kind that a read has
 */
export async function listDisputes(
  client: StripeClient,
  expansion: Expansion,
  now: Date,
  request: ListRequest<StripeCursor>,
): Promise<DisputePage<StripeCursor>> {
  const scan = openScan(request.cursor, request.oldestOpen, now)
  const known = scan.sweep || scan.restarted ? NONE : (request.known ?? NONE)
  const key = scan.after ?? NEWEST
  const page = await readPage(client, expansion, scan, known.get(key))
  // The dispute that the page starts after is gone: read the window again from its top.
  if (page === null) {
    const again = { ...scan, after: null, pages: 0, restarted: true }
    return { items: [], cursor: { ...request.cursor, scan: again }, hasMore: true }
  }

  const { items, hasMore, fingerprint, unchanged } = page
  const last = page.references.findLast((reference) => known.has(reference)) ?? page.references.at(-1) ?? null
  const after = unchanged ? page.after : last
  const listed = fingerprint && {
    ...{ key, fingerprint, unchanged, objects: page.objects },
    next: { hasMore, after, newest: page.newest } satisfies Next,
  }
  const common = { items, hasMore, ...(listed && { listed }) }
  const next: Scan = { ...scan, pages: scan.pages + 1, newest: newerOf(scan, page.newest) }
  if (!hasMore) return { ...common, cursor: closeScan(request.cursor, next) }

  next.after = after
  if (next.after === null || next.after === scan.after || next.pages >= MAX_PAGES) {
    throw new PspError('unavailable', "Stripe's list of disputes does not come to an end. It is read again later.")
  }
  return { ...common, cursor: { ...request.cursor, scan: next } }
}

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
  scan: Scan,
  known: KnownPage | undefined,
): Promise<Page | null> {
  try {
    const answer = await expansion.attempt((charge) =>
      client.readPage(known?.fingerprint, (sdk, options) =>
        sdk.disputes.list(
          {
            created: { gte: scan.from },
            limit: PAGE_SIZE,
            ...(scan.after !== null && { starting_after: scan.after }),
            ...(charge && { expand: ['data.charge'] }),
          },
          options,
        ),
      ),
    )
    const { fingerprint, unchanged } = answer
    if (known && unchanged)
      return { items: [], references: [], objects: known.objects, fingerprint, unchanged, ...(known.next as Next) }
    const { rows, hasMore } = answer
    const texts = sliceJson(answer.text, 'data')
    if (texts?.length !== rows.length) throw noResponse('read')
    const items = texts.map((text, index) => ({ reference: referenceOf(rows[index]), text, value: rows[index] }))
    const references = items.flatMap(({ reference }) => reference ?? [])
    const newest = newestOf(rows, scan)
    return { items, references, objects: rows.length, fingerprint, unchanged, hasMore, newest, after: null }
  } catch (error) {
    const refused = error instanceof PspError && (error.kind === 'not_found' || error.kind === 'invalid_request')
    if (refused && scan.after !== null) return null
    throw error
  }
}

/** The id of a row, if usable. */
export function referenceOf(row: unknown): string | null {
  const id = (row as { id?: unknown } | null)?.id
  return typeof id === 'string' && id !== '' && id.length <= 255 && isStorable(id) ? id : null
}

function newestOf(rows: unknown[], scan: Scan): number | null {
  const times = rows
    .map((row) => (row as { created?: unknown } | null)?.created)
    // An invalid time must not move the mark; the object itself goes to quarantine.
    .filter((time): time is number => Number.isSafeInteger(time) && (time as number) <= scan.startedAt)
  return times.length === 0 ? null : Math.max(...times)
}

const newerOf = ({ newest }: Scan, time: number | null): number | null =>
  time === null ? newest : Math.max(time, newest ?? Number.NEGATIVE_INFINITY)

import type { DisputePage, ListRequest, RawObject } from '../contract.ts'
import { PspError } from '../errors.ts'
import { isStorable, sliceJson } from '../shared/raw-json.ts'
import type { StripeClient } from './client.ts'
import { closeScan, openScan, type Scan, type StripeCursor } from './cursor.ts'
import { noResponse } from './errors.ts'
import type { Expansion } from './fetch.ts'

/** Stripe's maximum page size. */
export const PAGE_SIZE = 100
/** A scan with a million disputes counts as an endless list. */
const MAX_PAGES = 10_000

/**
 * One page of the scan, newest first, and the cursor after it. Stripe has no filter on status or change, so changes are
 * found by reading everything again from the oldest dispute that may still change.
 * @throws PspError of any kind that a read has
 */
export async function listDisputes(
  client: StripeClient,
  expansion: Expansion,
  now: Date,
  request: ListRequest<StripeCursor>,
): Promise<DisputePage<StripeCursor>> {
  const scan = openScan(request.cursor, request.oldestOpen, now)
  const page = await readPage(client, expansion, scan)
  // The dispute that the page starts after is gone: read the window again from its top.
  if (page === null)
    return { items: [], cursor: { ...request.cursor, scan: { ...scan, after: null, pages: 0 } }, hasMore: true }

  const next: Scan = { ...scan, pages: scan.pages + 1, newest: newestOf(page.rows, scan) }
  if (!page.hasMore) return { items: page.items, cursor: closeScan(request.cursor, next), hasMore: false }

  next.after = page.items.findLast((item) => item.reference !== null)?.reference ?? null
  if (next.after === null || next.after === scan.after || next.pages >= MAX_PAGES) {
    throw new PspError('unavailable', "Stripe's list of disputes does not come to an end. It is read again later.")
  }
  return { items: page.items, cursor: { ...request.cursor, scan: next }, hasMore: true }
}

interface Page {
  items: RawObject[]
  rows: unknown[]
  hasMore: boolean
}

async function readPage(client: StripeClient, expansion: Expansion, scan: Scan): Promise<Page | null> {
  try {
    const answer = await expansion.attempt((charge) =>
      client.read('list', (sdk, options) =>
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
    const texts = sliceJson(answer.text, 'data')
    const rows: unknown[] = answer.value.data
    if (!Array.isArray(rows) || texts === null || texts.length !== rows.length) throw noResponse('read')
    const items = texts.map((text, index) => ({ reference: referenceOf(rows[index]), text }))
    return { items, rows, hasMore: answer.value.has_more === true }
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
  return times.length === 0 ? scan.newest : Math.max(...times, scan.newest ?? Number.NEGATIVE_INFINITY)
}

import type { DisputePage, ListRequest } from '../contract.ts'
import { PspError } from '../errors.ts'
import { checkAccount } from './account.ts'
import type { PayPalClient } from './client.ts'
import {
  type Bound,
  bisect,
  closeScan,
  closeWindow,
  noteRows,
  openScan,
  type PayPalCursor,
  type Scan,
} from './cursor.ts'
import { readDetails } from './fetch.ts'
import { type Page, type Row, readPage } from './rows.ts'

/** PayPal's maximum page size. */
export const PAGE_SIZE = 50
/** PayPal's maximum page number: rows after the 2500th of a window are not accessible. */
const LAST_PAGE = 50
/** Pages may be read again when disputes vanish; beyond this count the list is endless. */
const MAX_READS = 4 * LAST_PAGE

/**
 * Reads one page of the scan with the detail of each dispute, and returns the cursor after it. The list filters by
 * update time, so one scan finds new, changed and reopened disputes.
 * @throws PspError of any kind that a read has; config_invalid for disputes of an account other than `typed`, which the
 * client named and PayPal has not confirmed yet; null once it has
 */
export async function listDisputes(
  client: PayPalClient,
  ctx: { now: Date; typed: string | null },
  request: ListRequest<PayPalCursor>,
): Promise<DisputePage<PayPalCursor>> {
  const stored = request.cursor
  const scan = openScan(stored, ctx.now)
  const path = scan.next ?? firstPath(scan.windows[0])
  let at = { path, page: await readPage(client, path) }
  if (scan.page !== null) {
    const moved = await movedPage(client, scan, at.page)
    if (moved !== null) at = { path: scan.page, page: moved }
  } else if (scan.handed.length === 0) {
    const halved = (await isCut(client, at.page)) ? bisect(scan) : null
    if (halved !== null) return { items: [], cursor: { ...stored, scan: halved }, hasMore: true }
  }
  const { page } = at
  const news = page.rows.filter((row) => isNews(stored, scan, row))
  if (ctx.typed !== null) for (const { seller } of news) checkAccount(seller, ctx.typed)
  const { items, unread, left } = await readDetails(client, news)
  const noted = noteRows(
    scan,
    page.rows.map((row) => (unread.has(row.mark) || left.has(row.mark) ? { ...row, key: null } : row)),
  )
  if (left.size > 0) {
    // The same page continues. Added in front, because the last one shows whether a page has moved.
    const handed = [...news.map((row) => row.mark).filter((mark) => !left.has(mark)), ...scan.handed]
    return { items, cursor: { ...stored, scan: { ...noted, handed } }, hasMore: true }
  }

  if (page.next === null) {
    const further = closeWindow(noted)
    if (further === null) return { items, cursor: closeScan(stored, noted), hasMore: false }
    return { items, cursor: { ...stored, scan: further }, hasMore: true }
  }
  if (page.next === at.path || scan.pages >= MAX_READS) {
    throw new PspError('unavailable', "PayPal's list of disputes does not come to an end. It is read again later.")
  }
  const handed = page.rows.map((row) => row.mark)
  const next: Scan = { ...noted, pages: scan.pages + 1, page: at.path, next: page.next, handed }
  return { items, cursor: { ...stored, scan: next }, hasMore: true }
}

function firstPath(window: Bound | undefined): string {
  const parameters = new URLSearchParams({ page_size: String(PAGE_SIZE) })
  for (const [name, bound] of [
    ['update_time_after', window?.from],
    ['update_time_before', window?.until],
  ] as const) {
    if (typeof bound === 'number') parameters.set(name, new Date(bound * 1000).toISOString())
  }
  return `/v1/customer/disputes?${parameters}`
}

/** Rows of the previous page, or unchanged since an earlier scan, are skipped. */
function isNews(stored: PayPalCursor, scan: Scan, row: Row): boolean {
  if (scan.handed.includes(row.mark)) return false
  return scan.sweep || row.key === null || !stored.known.includes(row.key)
}

/**
 * Checks the window's last accessible page, to know whether the window has more rows than PayPal shows before 2500
 * details are read. Uses PayPal's own link with the page number replaced, if it has one.
 */
async function isCut(client: PayPalClient, first: Page): Promise<boolean> {
  if (first.next === null) return false
  const [address = '', query] = first.next.split('?')
  const parameters = new URLSearchParams(query)
  if (!parameters.has('page')) return false
  parameters.set('page', String(LAST_PAGE))
  try {
    return (await readPage(client, `${address}?${parameters}`)).rows.length > 0
  } catch (error) {
    if (error instanceof PspError && ['invalid_request', 'not_found'].includes(error.kind)) return false
    throw error
  }
}

/**
 * Pages are counted from the top, so a dispute that leaves the list moves one from the next page to a page that was
 * read already. After the next page is read, the previous one is checked again: if its last row is neither in place nor
 * further down, the page is read again. Null when nothing moved up.
 */
async function movedPage(client: PayPalClient, scan: Scan, behind: Page): Promise<Page | null> {
  const anchor = scan.handed.at(-1)
  if (scan.page === null || anchor === undefined || behind.rows.some((row) => row.mark === anchor)) return null
  const again = await readPage(client, scan.page)
  return again.rows.at(-1)?.mark === anchor ? null : again
}

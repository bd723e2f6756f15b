import { isDeepStrictEqual } from 'node:util'
import type { DisputePage } from '../../../adapters/contract.ts'
import { advanceCursor } from '../../../db/polling/lease.ts'
import { storedPages } from '../../../db/polling/list-pages.ts'
import type { Polling } from './leased.ts'
import { type Stored, storePage } from './pages.ts'

/** An unchanged page writes nothing. After this time the lease is renewed nevertheless, and the cursor stored. */
const RENEW_MS = 30_000

export interface Walked extends Stored {
  /** Objects on the page, those of an unchanged page included. */
  seen: number
  hasMore: boolean
  /** The list is at its end, or the slice has taken its time: no page is being read. */
  pauses: boolean
}

/** The list of one poll, page by page. The next page of each window is read while a page is stored. */
export interface ListWalk {
  /** Stores the next page. @throws LeaseLost */
  next(): Promise<Walked>
  /** Stores the cursor if unchanged pages have moved it. @throws LeaseLost */
  keepPlace(): Promise<void>
}

export async function openWalk(
  { deps, connection, lease, psp }: Polling,
  { cursor, oldestOpen, sliceMs }: { cursor: unknown; oldestOpen: Date | null; sliceMs: number },
): Promise<ListWalk> {
  const { definition } = psp
  const known = await storedPages(deps.db, connection.integrationId, definition.translationVersion)
  const written = { cursor: connection.cursor?.value, at: Date.now() }
  const pausesAt = Date.now() + sliceMs
  /** Pages that are being read, by window; the one that was requested first is stored first. */
  const ahead = new Map<string, Reading>()

  /** An error is thrown where the page is awaited: the pages before it are stored by then. */
  function read(window: string): void {
    const readAt = deps.now()
    const request = { cursor, oldestOpen, known, ...(window !== ONLY && { window }) }
    const page = psp.call((adapter) => adapter.listDisputes(request))
    page.catch(() => undefined)
    ahead.set(window, { page, readAt })
  }

  async function keep(): Promise<void> {
    await advanceCursor(deps.db, lease, { version: definition.cursor.version, value: cursor })
    Object.assign(written, { cursor, at: Date.now() })
  }

  return {
    async next() {
      // Alone, because it may begin another scan, with other windows.
      if (ahead.size === 0) read(ONLY)
      const [oldest] = ahead
      const [window, reading] = oldest as [string, Reading]
      const page = await reading.page
      ahead.delete(window)
      const cursors = { before: cursor, after: page.advance ? page.advance(cursor) : page.cursor }
      cursor = cursors.after
      const windows = page.advance ? (definition.cursor.windows?.(cursor) ?? []) : page.hasMore ? [ONLY] : []
      if (Date.now() <= pausesAt) for (const one of windows) if (!ahead.has(one)) read(one)
      const [hasMore, pauses] = [windows.length > 0, ahead.size === 0]
      const { listed } = page
      if (listed?.unchanged) {
        if (Date.now() - written.at > RENEW_MS) await keep()
        return { created: 0, changed: 0, quarantined: 0, seen: listed.objects, hasMore, pauses }
      }
      const stored = await storePage(deps, connection, lease, psp, page, cursors, reading.readAt)
      Object.assign(written, { cursor, at: Date.now() })
      return { ...stored, seen: page.items.length, hasMore, pauses }
    },
    async keepPlace() {
      // Not by their text: Postgres keeps the fields of an object in an order of its own.
      if (!isDeepStrictEqual(cursor, written.cursor)) await keep()
    },
  }
}

/** The window of a list that has no others. */
const ONLY = ''

interface Reading {
  page: Promise<DisputePage<unknown>>
  readAt: Date
}

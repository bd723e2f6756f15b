import type { DisputePage } from '../../../adapters/contract.ts'
import { advanceCursor } from '../../../db/polling/lease.ts'
import { storedPages } from '../../../db/polling/list-pages.ts'
import type { Polling } from './leased.ts'
import { type Stored, storePage } from './pages.ts'

/** Unchanged pages write nothing; after this long the lease is renewed all the same, and the place in the list kept. */
const RENEW_MS = 30_000

export interface Walked extends Stored {
  /** Objects on the page, those of an unchanged one included. */
  seen: number
  hasMore: boolean
}

/** The list of one poll, page by page: each is read while the one before it is stored. */
export interface ListWalk {
  /** Stores the next page. `isLast`: after this one the walk pauses, and nothing is read ahead. */
  next(isLast: () => boolean): Promise<Walked>
  /** Writes the place in the list, where unchanged pages have moved it. @throws LeaseLost */
  keepPlace(): Promise<void>
}

export async function openWalk(
  { deps, connection, lease, psp }: Polling,
  { cursor, oldestOpen }: { cursor: unknown; oldestOpen: Date | null },
): Promise<ListWalk> {
  const { definition } = psp
  const known = await storedPages(deps.db, connection.integrationId, definition.translationVersion)
  const written = { cursor: JSON.stringify(connection.cursor?.value), at: Date.now() }
  let ahead: Reading | null = null

  /** What it throws is thrown where the page is awaited; the page before it is stored by then. */
  function read(from: unknown): Reading {
    const readAt = deps.now()
    const page = psp.call((adapter) => adapter.listDisputes({ cursor: from, oldestOpen, known }))
    page.catch(() => undefined)
    return { page, readAt }
  }

  async function keep(): Promise<void> {
    await advanceCursor(deps.db, lease, { version: definition.cursor.version, value: cursor })
    Object.assign(written, { cursor: JSON.stringify(cursor), at: Date.now() })
  }

  return {
    async next(isLast) {
      const reading = ahead ?? read(cursor)
      const page = await reading.page
      ahead = page.hasMore && !isLast() ? read(page.cursor) : null
      const cursors = { before: cursor, after: page.cursor }
      cursor = page.cursor
      const { hasMore, listed } = page
      if (listed?.unchanged) {
        if (Date.now() - written.at > RENEW_MS) await keep()
        return { created: 0, changed: 0, quarantined: 0, seen: listed.objects, hasMore }
      }
      const stored = await storePage(deps, connection, lease, psp, page, cursors, reading.readAt)
      Object.assign(written, { cursor: JSON.stringify(cursor), at: Date.now() })
      return { ...stored, seen: page.items.length, hasMore }
    },
    async keepPlace() {
      if (JSON.stringify(cursor) !== written.cursor) await keep()
    },
  }
}

interface Reading {
  page: Promise<DisputePage<unknown>>
  readAt: Date
}

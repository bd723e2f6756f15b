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
  /** The list is at its end, or the slice has taken its time: no page was read ahead. */
  pauses: boolean
}

/** The list of one poll, page by page. The next page is read while a page is stored. */
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
  let ahead: Reading | null = null

  /** An error is thrown where the page is awaited: the page before it is stored by then. */
  function read(from: unknown): Reading {
    const readAt = deps.now()
    const page = psp.call((adapter) => adapter.listDisputes({ cursor: from, oldestOpen, known }))
    page.catch(() => undefined)
    return { page, readAt }
  }

  async function keep(): Promise<void> {
    await advanceCursor(deps.db, lease, { version: definition.cursor.version, value: cursor })
    Object.assign(written, { cursor, at: Date.now() })
  }

  return {
    async next() {
      const reading = ahead ?? read(cursor)
      const page = await reading.page
      const { hasMore, listed } = page
      const pauses = !hasMore || Date.now() > pausesAt
      ahead = pauses ? null : read(page.cursor)
      const cursors = { before: cursor, after: page.cursor }
      cursor = page.cursor
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

interface Reading {
  page: Promise<DisputePage<unknown>>
  readAt: Date
}

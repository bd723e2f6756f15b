import { isDeepStrictEqual } from 'node:util'
import type { DisputePage } from '../../../adapters/contract.ts'
import type { Beforehand } from '../../../db/polling/beforehand.ts'
import { advanceCursor, type VersionedCursor } from '../../../db/polling/lease.ts'
import type { Polling } from './leased.ts'
import { type PreparedPage, preparePage } from './pages.ts'
import { type Stored, writePrepared } from './writing.ts'

/** An unchanged page writes nothing. After this time the lease is renewed nevertheless, and the cursor stored. */
const RENEW_MS = 30_000

export interface Walked extends Stored {
  /** Objects on the page, those of an unchanged page included. */
  seen: number
  hasMore: boolean
  /** The list is at its end, or the slice has taken its time: no page is being read. */
  pauses: boolean
}

/**
 * The list of one poll, page by page. While a page is written, the one after it is prepared, and the next page of each
 * window is read: docs/decisions/0088. Pages are written in the order of their arrival, one at a time.
 */
export interface ListWalk {
  /** Stores the next page. @throws LeaseLost */
  next(): Promise<Walked>
  /** The cursor, if it has moved past unchanged pages since it was last stored; otherwise null. */
  moved(): VersionedCursor | null
  /** Waits for the preparation of the next page, whose result is dropped. Abort the requests before. */
  close(): Promise<void>
}

export function openWalk(
  { deps, connection, lease, psp }: Polling,
  { cursor, beforehand, sliceMs }: { cursor: unknown; beforehand: Beforehand; sliceMs: number },
): ListWalk {
  const { definition } = psp
  const { oldestOpen, pages } = beforehand
  const translated = pages.filter(({ translationVersion }) => translationVersion === definition.translationVersion)
  const known = new Map(translated.map((page) => [page.key, page]))
  const written = { cursor: connection.cursor?.value, at: Date.now() }
  const pausesAt = Date.now() + sliceMs
  /** Pages that are being read, by window; the one that was requested first is stored first. */
  const ahead = new Map<string, Reading>()
  /** The page after the one that is being written. */
  let upcoming: Promise<Arrived> | null = null

  /** An error is thrown where the page is awaited: the pages before it are stored by then. */
  function read(window: string): void {
    const readAt = deps.now()
    const request = { cursor, oldestOpen, known, ...(window !== ONLY && { window }) }
    const page = psp.call((adapter) => adapter.listDisputes(request))
    page.catch(() => undefined)
    ahead.set(window, { page, readAt })
  }

  /** Receives and prepares the page that was requested first, and requests the pages after it. */
  async function arrive(before: BeingWritten | null): Promise<Arrived> {
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
    const { listed } = page
    const walked = {
      seen: listed?.unchanged ? listed.objects : page.items.length,
      hasMore: windows.length > 0,
      pauses: ahead.size === 0,
    }
    if (listed?.unchanged) return { walked, cursor, prepared: null }
    await deps.commandsFirst?.wait()
    // A dispute on both pages is compared with what the first one stores.
    if (page.items.some(({ reference }) => before?.references.has(reference)))
      await before?.stored.catch(() => undefined)
    return { walked, cursor, prepared: await preparePage(deps, connection, psp, page, cursors, reading.readAt) }
  }

  const versioned = (value: unknown) => ({ version: definition.cursor.version, value })

  async function keep(value: unknown): Promise<void> {
    await advanceCursor(deps.db, lease, versioned(value))
    Object.assign(written, { cursor: value, at: Date.now() })
  }

  async function write(prepared: PreparedPage, value: unknown): Promise<Stored> {
    // It was prepared ahead, and a command may have begun since.
    await deps.commandsFirst?.wait()
    const stored = await writePrepared(deps, lease, prepared)
    Object.assign(written, { cursor: value, at: Date.now() })
    return stored
  }

  function prepareNext(before: BeingWritten): void {
    upcoming = arrive(before)
    upcoming.catch(() => undefined)
  }

  return {
    async next() {
      const { walked, cursor: reached, prepared } = await (upcoming ?? arrive(null))
      upcoming = null
      if (!prepared) {
        if (Date.now() - written.at > RENEW_MS) await keep(reached)
        return { created: 0, changed: 0, quarantined: 0, ...walked }
      }
      const stored = write(prepared, reached)
      if (!walked.pauses) prepareNext({ references: new Set(prepared.raws.map((raw) => raw.reference)), stored })
      return { ...(await stored), ...walked }
    },
    // Cursors are not compared as JSON texts, because Postgres reorders the fields of an object.
    moved: () => (isDeepStrictEqual(cursor, written.cursor) ? null : versioned(cursor)),
    close: async () => {
      await upcoming?.catch(() => undefined)
    },
  }
}

/** The window of a list that has no others. */
const ONLY = ''

interface Reading {
  page: Promise<DisputePage<unknown>>
  readAt: Date
}

/** A page in the order of the walk: `prepared` is null for an unchanged one. */
interface Arrived {
  walked: Pick<Walked, 'seen' | 'hasMore' | 'pauses'>
  /** The cursor after it. */
  cursor: unknown
  prepared: PreparedPage | null
}

interface BeingWritten {
  references: ReadonlySet<string | null>
  stored: Promise<Stored>
}

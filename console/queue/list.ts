import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import type { Operations } from '../api/operations.ts'
import { readAhead, useRead } from '../api/use-read.ts'
import type { Item } from './groups.ts'
import { isOutOfScope } from './view.ts'

type ListQuery = Operations['listChargebacks']['query']

/** Rows before the first paint, and of each further request. */
const FIRST = 50
const NEXT = 100
/** Further pages that are read again with the first one. */
const KEPT_FRESH = 4
const EVERY_MS = 30_000

const NONE: Item[][] = []

interface Further {
  view: string
  pages: Item[][]
  /** Of the page after the last; undefined at the end. */
  cursor: string | undefined
  /** When the oldest page was read, ms. */
  at: number
  loading: boolean
  failure: Error | undefined
}

/** Of the list that was shown last: a person who comes back from a case finds it. */
let kept: Further | undefined

/** Rows out of scope tell which rule left them out. */
const asked = (query: ListQuery): ListQuery => (isOutOfScope(query) ? { ...query, expand: ['scopeReason'] } : query)

const firstOf = (merchant: string | undefined, query: ListQuery) => ({
  ...{ merchant, query: { ...asked(query), limit: FIRST } },
})

export const readListAhead = (merchant: string | undefined, query: ListQuery): Promise<void> =>
  readAhead('listChargebacks', firstOf(merchant, query))

/** Rows of a view: the first ones at once, the others by cursors. */
export function useList(merchant: string | undefined, query: ListQuery) {
  const view = JSON.stringify([merchant, query])
  const read = useRead('listChargebacks', firstOf(merchant, query), EVERY_MS)
  const empty: Further = { view, pages: NONE, cursor: undefined, at: 0, loading: false, failure: undefined }
  const [state, setState] = useState(kept?.view === view ? kept : empty)
  const current = state.view === view ? state : empty
  const mine = useRef(state)
  const latest = useRef(view)
  const waits = useRef<string | null>(null)
  latest.current = view
  const first = read.data
  const cursor = current.pages.length > 0 ? current.cursor : first?.nextCursor

  /** What is kept now: after a request, `current` may be old. */
  const now = () => (mine.current.view === view ? mine.current : empty)

  function keep(next: Further) {
    if (latest.current !== next.view) return
    kept = next
    mine.current = next
    setState(next)
  }

  async function more() {
    // A second call before the next render asks for nothing again.
    if (current.loading || cursor === undefined || waits.current === cursor) return
    waits.current = cursor
    keep({ ...now(), loading: true, failure: undefined })
    try {
      const page = await call('listChargebacks', { merchant, query: { ...asked(query), limit: NEXT, cursor } })
      const { pages, cursor: end, at } = now()
      // The earlier pages were read again meanwhile, and their last row is another one: this page no longer continues them.
      if (pages.length > 0 && end !== cursor) return keep({ ...now(), loading: false })
      keep({
        ...empty,
        ...{ pages: [...pages, page.data], cursor: page.nextCursor, at: pages.length > 0 ? at : Date.now() },
      })
    } catch (failure) {
      keep({ ...now(), loading: false, failure: failure as Error })
    } finally {
      waits.current = null
    }
  }

  /** Reads the pages after the first again, each by the cursor of the one before; also those that are loaded meanwhile. */
  async function readAgain(after: string | undefined) {
    const pages: Item[][] = []
    let next = after
    while (next !== undefined && pages.length < now().pages.length) {
      const page = await call('listChargebacks', {
        ...{ merchant, query: { ...asked(query), limit: NEXT, cursor: next }, background: true },
      })
      // So long a list is not read again by itself.
      if (now().pages.length > KEPT_FRESH) return
      pages.push(page.data)
      next = page.nextCursor
    }
    keep({ ...empty, pages, cursor: next, at: Date.now(), loading: now().loading })
  }

  useEffect(() => {
    const { length } = current.pages
    if (read.at <= current.at || length === 0 || length > KEPT_FRESH || current.loading) return
    // A failure leaves what is shown; the first page says that the service is unavailable.
    readAgain(first?.nextCursor).catch(() => {})
  }, [read.at])

  // Another array only when the rows change, because all of them are rendered then: a list may have ten thousand.
  const items = useMemo(() => {
    const rows = new Map([first?.data ?? [], ...current.pages].flat().map((item) => [item.id, item]))
    return [...rows.values()]
  }, [first, current.pages])
  return {
    read,
    items,
    hasMore: cursor !== undefined,
    loading: current.loading,
    failure: current.failure,
    more,
    /** Time of rows that are not read again by themselves, ms; null when all are. */
    oldRowsAt: current.pages.length > KEPT_FRESH ? current.at : null,
  }
}

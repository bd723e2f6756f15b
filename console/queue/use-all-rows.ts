import { useEffect, useRef, useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { mayHaveChanged } from '../api/live.ts'
import type { Operations } from '../api/operations.ts'
import type { Item } from './groups.ts'

type ListQuery = Operations['listChargebacks']['query']

/** Rows that are read for sums, at most: twenty requests. */
const MOST = 2_000
const AT_ONCE = 100
/** The fewest rows of a request. */
const FEWEST = 10

/** A reading is twenty-one requests at worst, of the thousand a minute that all people of a merchant share. */
const EVERY_MS = 60_000

interface Found {
  view: string
  /** Undefined for more than 2,000. */
  rows: readonly Item[] | undefined
  /** When the reading began, ms. */
  at: number
}

/**
 * All rows of a view, for sums that the API has not: by days left, by amount, by advice. Read by cursors behind the list, at
 * most once a minute, and only when the list is read again and a chargeback may have changed.
 * @param at time of the first page, ms
 * @returns undefined until they are there, and for more than 2,000
 */
export function useAllRows(
  merchant: string | undefined,
  query: ListQuery,
  { wanted, at }: { wanted: boolean; at: number },
): { rows: readonly Item[]; at: number } | undefined {
  const view = JSON.stringify([merchant, query])
  const [found, setFound] = useState<Found>()
  const running = useRef<AbortController | undefined>(undefined)
  const current = found?.view === view ? found : undefined
  // A reading that runs goes on while the list is read again: else, with an event each second, none would end.
  useEffect(() => () => running.current?.abort(), [view, wanted])
  useEffect(() => {
    if (!wanted || (current && !mayHaveChanged(current.at))) return
    const due = current ? current.at + EVERY_MS - Date.now() : 0
    const timer = setTimeout(read, Math.max(0, due))
    return () => clearTimeout(timer)
  }, [view, wanted, at, current])

  function read() {
    const isBusy = running.current && !running.current.signal.aborted
    if (isBusy || document.visibilityState !== 'visible') return
    const controller = new AbortController()
    const { signal } = controller
    const began = Date.now()
    running.current = controller
    readAll(merchant, query, signal).then(
      (rows) => {
        if (signal.aborted) return
        running.current = undefined
        setFound({ view, rows, at: began })
      },
      // The list itself says what fails; until then the sums are of the rows that are loaded.
      () => {
        if (running.current === controller) running.current = undefined
      },
    )
  }
  return wanted && current?.rows ? { rows: current.rows, at: current.at } : undefined
}

async function readAll(merchant: string | undefined, query: ListQuery, signal: AbortSignal) {
  const about = { merchant, signal, background: true }
  const beyond = { ...query, limit: FEWEST, page: MOST / FEWEST + 1 }
  if ((await call('listChargebacks', { ...about, query: beyond })).data.length > 0) return undefined
  const rows = new Map<string, Item>()
  let cursor: string | undefined
  do {
    const asked = { ...query, limit: AT_ONCE, ...(cursor && { cursor }) }
    const page = await call('listChargebacks', { ...about, query: asked })
    for (const item of page.data) rows.set(item.id, item)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return [...rows.values()]
}

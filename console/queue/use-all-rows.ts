import { useEffect, useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import type { Operations } from '../api/operations.ts'
import type { Item } from './groups.ts'

type ListQuery = Operations['listChargebacks']['query']

/** Rows that are read for sums, at most: twenty requests. */
const MOST = 2_000
const AT_ONCE = 100
/** The fewest rows of a request. */
const FEWEST = 10

/**
 * All rows of a view, for sums that the API has not: by days left, by amount, by advice. Read by cursors behind the list, once
 * for each reading of its first page.
 * @param at time of the first page, ms
 * @returns undefined until they are there, and for more than 2,000
 */
export function useAllRows(
  merchant: string | undefined,
  query: ListQuery,
  { wanted, at }: { wanted: boolean; at: number },
): readonly Item[] | undefined {
  const view = JSON.stringify([merchant, query])
  const [found, setFound] = useState<{ view: string; rows: readonly Item[] }>()
  useEffect(() => {
    if (!wanted || document.visibilityState !== 'visible') return
    const controller = new AbortController()
    const { signal } = controller
    readAll(merchant, query, signal).then(
      (rows) => signal.aborted || setFound(rows && { view, rows }),
      // The list itself says what fails; until then the sums are of the rows that are loaded.
      () => {},
    )
    return () => controller.abort()
  }, [view, wanted, at])
  return wanted && found?.view === view ? found.rows : undefined
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

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { serverNow } from '../api/connection.ts'
import { mayHaveChanged } from '../api/live.ts'
import { useRead } from '../api/use-read.ts'
import { navigate } from '../app/navigation.ts'
import { onUndone, rememberOrder, rememberUndone, undoneOf } from '../app/order.ts'
import { merchantQuery, QUEUE, type ScreenCode, type ScreenProps } from '../app/router.ts'
import { mayWork, useWho } from '../app/who.ts'
import { announce } from '../parts/announce.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { clock } from '../parts/when.tsx'
import { Bulk } from './bulk.tsx'
import { Export } from './export.tsx'
import { Filters } from './filters.tsx'
import { grouped, type Item } from './groups.ts'
import { readListAhead, useList } from './list.ts'
import { Nothing } from './nothing.tsx'
import { useReturn, useRowKeys } from './row-keys.ts'
import { QueueTable } from './table.tsx'
import { Totals } from './totals.tsx'
import { useAllRows } from './use-all-rows.ts'
import { isOpenView, isOutOfScope, listQuery, type Sort, summaryQuery, viewQuery, withFilters } from './view.ts'
import { Views } from './views.tsx'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const SUMS_EVERY_MS = 60_000
/** Sums that were read so much before the list are called old. */
const APART_MS = 5_000
/** What is less far below the window is loaded. */
const NEAR_PX = 400
const NONE: ReadonlySet<string> = new Set()

export const readAhead: ScreenCode['readAhead'] = (query, merchant) =>
  readListAhead(merchant, listQuery(query, start()))

export function Screen({ query }: ScreenProps) {
  const { me, merchant } = useWho()
  const view = viewQuery(query)
  const listed = listQuery(query, useStart(view))
  const { read, items, hasMore, loading, failure, more, oldRowsAt } = useList(merchant, listed)
  const summed = summaryQuery(listed)
  const totals = useRead('readSummary', { merchant, query: summed ?? {} }, SUMS_EVERY_MS, summed !== null)
  const all = useAllRows(merchant, listed, { wanted: hasMore && summed === null, at: read.at })
  const [selected, select] = useState(NONE)
  // Kept outside: an act may fail when another merchant is shown already, or another screen.
  const [, countUndone] = useState(0)
  const now = Math.floor(serverNow() / MINUTE) * MINUTE
  const byDue = isOpenView(listed) && /dueDate$/.test(listed.sort)
  const groups = useMemo(
    () => (byDue ? grouped(items, now, hasMore) : [{ name: null, items, isOpenEnded: hasMore }]),
    [items, byDue, now, hasMore],
  )
  const chosen = items.filter(({ id }) => selected.has(id))
  const count = items.length
  const suffix = merchantQuery(query)

  useEffect(() => {
    if (read.data) announce(`${count} chargebacks${hasMore ? ', there are more' : ''}`)
  }, [count, hasMore, read.data !== undefined])
  // Before it is painted: it must not clear what a person selects in the new view.
  useLayoutEffect(() => select(NONE), [view, merchant])
  useEffect(() => onUndone(() => countUndone((count) => count + 1)), [])
  useEffect(() => {
    rememberOrder({ ids: items.map(({ id }) => id), hasMore, back: `?${view}` })
  }, [items, hasMore, view])

  const onSelect = useCallback(
    (id: string, on: boolean) =>
      select((before) => new Set(on ? [...before, id] : [...before].filter((one) => one !== id))),
    [],
  )
  const onSort = useCallback((sort: Sort) => navigate(`${QUEUE}${withFilters(query, { sort })}`), [query])
  useReturn(count > 0)
  useRowKeys(mayWork(me) ? (id) => onSelect(id, !selected.has(id)) : null)
  const review = (reviewed: readonly Item[]) => {
    const ids = reviewed.map(({ id }) => id)
    rememberOrder({ ids, isReview: true, back: `?${view}` })
    navigate(`/console/chargebacks/${encodeURIComponent(ids[0] ?? '')}${suffix}`)
  }

  return (
    <main>
      <div class="title">
        <h1>Queue</h1>
        <Views query={query} />
        {read.data && (
          <Totals
            items={all?.rows ?? items}
            hasMore={hasMore && !all}
            summary={summed ? totals.data?.data : undefined}
            oldAt={all && read.at - all.at > APART_MS && mayHaveChanged(all.at) ? all.at : null}
          />
        )}
        <Export merchant={merchant} query={listed} />
      </div>
      <Filters query={query} />
      {read.failure && <Failed failure={read.failure} again={read.again} />}
      {!read.data && !read.failure && <Loading rows={10} />}
      {read.data && count === 0 && <Nothing query={query} merchant={merchant} />}
      {count > 0 && (
        <QueueTable
          {...{ groups, suffix, now, onSelect, onSort }}
          mixed={!isOpenView(listed)}
          scoped={isOutOfScope(listed)}
          sort={listed.sort}
          oneCurrency={/^[A-Z]{3}$/.test(String(listed.currency))}
          selected={mayWork(me) ? selected : null}
        />
      )}
      {failure && <Failed failure={failure} again={more} />}
      {hasMore && !failure && <More loaded={count} loading={loading} onMore={more} />}
      {oldRowsAt !== null && <p class="muted">Rows further down are as of {clock(oldRowsAt)}.</p>}
      <Bulk
        key={`${view} ${merchant}`}
        selected={chosen}
        undone={undoneOf(merchant)}
        onReview={() => review(chosen)}
        onUndone={(undone) => rememberUndone(merchant, undone)}
        onSelected={(ids) => select(new Set(ids))}
      />
    </main>
  )
}

/** The time that "within 7 days" counts from: it moves on when the view changes, and when the person comes back later. */
function useStart(view: string): number {
  const [visits, visit] = useState(0)
  useEffect(() => {
    const seen = () => document.visibilityState === 'visible' && visit((count) => count + 1)
    document.addEventListener('visibilitychange', seen)
    return () => document.removeEventListener('visibilitychange', seen)
  }, [])
  return useMemo(start, [view, visits])
}

/** Equal for an hour, so that a person who comes back from a case finds the rows that were read. */
const start = () => Math.ceil(serverNow() / HOUR) * HOUR

/** Loads what follows when it comes near, or by its button. */
function More({ loaded, loading, onMore }: { loaded: number; loading: boolean; onMore: () => void }) {
  const place = useRef<HTMLParagraphElement>(null)
  const latest = useRef(onMore)
  latest.current = onMore
  useEffect(() => {
    if (loading) return
    const look = () => {
      const top = place.current?.getBoundingClientRect().top ?? Number.POSITIVE_INFINITY
      if (top < window.innerHeight + NEAR_PX) latest.current()
    }
    look()
    window.addEventListener('scroll', look, { passive: true })
    return () => window.removeEventListener('scroll', look)
  }, [loaded, loading])
  return (
    <p ref={place}>
      <button type="button" aria-disabled={loading} onClick={onMore}>
        {loading ? 'Loading…' : 'Load more'}
      </button>
    </p>
  )
}

import { useEffect, useState } from 'preact/hooks'
import { call } from '../api/call.ts'
import { serverNow } from '../api/connection.ts'
import { useRead } from '../api/use-read.ts'
import { merchantQuery, type ScreenProps, withQuery } from '../app/router.ts'
import { useWho } from '../app/who.ts'
import { announce } from '../parts/announce.tsx'
import { sums } from '../parts/money.ts'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { Filters, type FilterValues, filtersOf } from './filters.tsx'
import { grouped, type Item } from './groups.ts'
import { QueueTable } from './table.tsx'

const PAGE = 100
const EVERY_MS = 30_000

export function Screen({ query }: ScreenProps) {
  const { merchant } = useWho()
  const filters = filtersOf(query)
  const listed = { limit: PAGE, ...filters } as FilterValues & { limit: number }
  const read = useRead('listChargebacks', { merchant, query: listed as never }, EVERY_MS)
  const more = useFurtherPages(merchant, listed, read.data?.nextCursor)
  const items = [...(read.data?.data ?? []), ...more.items]
  const known = new Map(items.map((item) => [item.id, item]))
  const shown = [...known.values()]
  const groups = grouped(shown, serverNow())
  const count = shown.length
  useEffect(() => {
    if (read.data) announce(`${count} chargebacks`)
  }, [count, read.data !== undefined])

  return (
    <main>
      <h1>Queue</h1>
      <div class="tools">
        <Filters query={query} />
        {read.data && (
          <p class="totals">
            {count}
            {more.cursor ? ' loaded, there are more' : ''} {count > 0 && ` · ${sums(shown)}`}
          </p>
        )}
      </div>
      {read.failure && <Failed failure={read.failure} again={read.again} />}
      {!read.data && !read.failure && <Loading rows={10} />}
      {read.data && count === 0 && <Nothing query={query} />}
      {count > 0 && (
        <QueueTable
          groups={groups}
          suffix={merchantQuery(query)}
          mixed={filters.pspStatus === undefined}
        />
      )}
      {more.failure && <Failed failure={more.failure} again={more.load} />}
      {more.cursor && !more.failure && (
        <p>
          <button type="button" aria-disabled={more.loading} onClick={more.load}>
            {more.loading ? 'Loading…' : 'Load more'}
          </button>{' '}
          <span class="muted">The newest are loaded first; days left are sorted among what is loaded.</span>
        </p>
      )}
    </main>
  )
}

function Nothing({ query }: { query: URLSearchParams }) {
  const isFiltered = ['pspStatus', 'status', 'psp'].some((name) => query.has(name))
  return (
    <Empty>
      {isFiltered ? (
        <p>
          No chargeback matches.{' '}
          <a href={`/console/queue${withQuery(query, { pspStatus: '', status: '', psp: '' })}`}>Clear filters</a>
        </p>
      ) : (
        <p>
          Nothing needs an answer.{' '}
          <a href={`/console/queue${withQuery(query, { pspStatus: 'any' })}`}>Show all chargebacks</a>
        </p>
      )}
    </Empty>
  )
}

interface Further {
  items: Item[]
  cursor: string | undefined
  loading: boolean
  failure: Error | undefined
}

/** Pages after the first, by the cursor of the page before. They begin again when filters or merchant change. */
function useFurtherPages(merchant: string | undefined, listed: object, first: string | undefined) {
  const view = JSON.stringify([merchant, listed])
  const [state, setState] = useState<Further & { view: string }>({
    ...{ items: [], cursor: undefined, loading: false, failure: undefined, view },
  })
  const current = state.view === view && (state.items.length > 0 || state.loading || state.failure)
  const shown = current ? state : { items: [], cursor: first, loading: false, failure: undefined }
  async function load() {
    if (shown.loading) return
    setState({ ...shown, loading: true, failure: undefined, view })
    try {
      const page = await call('listChargebacks', { merchant, query: { ...listed, cursor: shown.cursor } })
      setState({
        items: [...shown.items, ...page.data],
        cursor: page.nextCursor,
        loading: false,
        failure: undefined,
        view,
      })
    } catch (failure) {
      setState({ ...shown, loading: false, failure: failure as Error, view })
    }
  }
  return { ...shown, load }
}

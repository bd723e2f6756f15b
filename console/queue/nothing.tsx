import { serverNow } from '../api/connection.ts'
import { useRead } from '../api/use-read.ts'
import { QUEUE } from '../app/router.ts'
import { Empty } from '../parts/states.tsx'
import { When } from '../parts/when.tsx'
import { VIEWS, viewQuery, withView } from './view.ts'

/** Why there are no rows, and the way on. */
export function Nothing({ query, merchant }: { query: URLSearchParams; merchant: string | undefined }) {
  const view = viewQuery(query)
  const to = (other: string) => `${QUEUE}${withView(query, other)}`
  const days = /^due=(\d+)$/.exec(view)?.[1]
  if (days === undefined)
    return (
      <Empty>
        <p>
          No chargeback matches. <a href={to(VIEWS[0].query)}>Clear filters</a>
        </p>
      </Empty>
    )
  return (
    <Empty>
      <p>Nothing is due within {days} days.</p>
      <Next merchant={merchant} to={to} />
    </Empty>
  )
}

function Next({ merchant, to }: { merchant: string | undefined; to: (view: string) => string }) {
  const read = useRead('listChargebacks', {
    merchant,
    query: { pspStatus: ['needs_response'], dueAfter: startOfHour(), sort: 'dueDate', limit: 10 },
  })
  const [next] = read.data?.data ?? []
  return (
    <p>
      {next?.dueDate !== undefined && (
        <>
          The next one is due <When at={next.dueDate} />.{' '}
        </>
      )}
      <a href={to('pspStatus=needs_response')}>Show all open ones</a> or{' '}
      <a href={to('pspStatus=any')}>all chargebacks</a>.
    </p>
  )
}

const startOfHour = () => `${new Date(serverNow()).toISOString().slice(0, 13)}:00:00Z`

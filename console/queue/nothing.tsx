import { serverNow } from '../api/connection.ts'
import { useRead } from '../api/use-read.ts'
import { merchantQuery, QUEUE } from '../app/router.ts'
import { mayManage, useWho } from '../app/who.ts'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { When } from '../parts/when.tsx'
import { VIEWS, viewQuery, withView } from './view.ts'

/** Why there are no rows, and the way on. */
export function Nothing({ query, merchant }: { query: URLSearchParams; merchant: string | undefined }) {
  const view = viewQuery(query)
  const to = (other: string) => `${QUEUE}${withView(query, other)}`
  const days = /^due=(\d+)$/.exec(view)?.[1]
  const integrations = useRead('listIntegrations', { merchant })
  if (!integrations.data && !integrations.failure) return <Loading rows={2} />
  if (integrations.data?.length === 0) return <NotConnected suffix={merchantQuery(query)} />
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

/** A merchant's first day: no filter would show anything. */
function NotConnected({ suffix }: { suffix: string }) {
  const { me } = useWho()
  return (
    <Empty>
      <p>No PSP is connected yet, so there are no chargebacks.</p>
      <p>
        {mayManage(me) ? (
          <a href={`/console/integrations${suffix}`}>Connect a PSP</a>
        ) : (
          'Somebody with the role manage connects one.'
        )}
      </p>
    </Empty>
  )
}

function Next({ merchant, to }: { merchant: string | undefined; to: (view: string) => string }) {
  const read = useRead('listChargebacks', {
    merchant,
    query: { pspStatus: ['needs_response'], dueAfter: startOfHour(), sort: 'dueDate', limit: 10 },
  })
  const [next] = read.data?.data ?? []
  if (read.failure) return <Failed failure={read.failure} again={read.again} />
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

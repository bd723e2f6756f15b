import { useRead } from '../api/use-read.ts'
import { merchantQuery, type ScreenProps, withQuery } from '../app/router.ts'
import { mayManage, useWho } from '../app/who.ts'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { useRepeat } from '../parts/use-repeat.ts'
import { Create } from './create.tsx'
import { EVERY_MS, WEBHOOKS } from './data.ts'
import { One } from './one.tsx'
import { EndpointRow } from './row.tsx'

/** Where events are sent: a list, one of the endpoints, or the form that creates another. The address says which. */
export function Screen({ params: { id }, query }: ScreenProps) {
  if (id !== undefined) return <One id={id} query={query} />
  return query.has('new') ? <Create query={query} /> : <List query={query} />
}

function List({ query }: { query: URLSearchParams }) {
  const { me, merchant } = useWho()
  const read = useRead('listWebhookEndpoints', { merchant })
  useRepeat('listWebhookEndpoints ', true, EVERY_MS)
  const { failure } = read
  const endpoints = read.data?.data
  const create = `${WEBHOOKS}${withQuery(query, { new: '1' })}`
  const suffix = merchantQuery(query)
  return (
    <main>
      <div class="title">
        <h1>Webhooks</h1>
        {mayManage(me) && endpoints && endpoints.length > 0 && (
          <a class="button" href={create}>
            Add an endpoint
          </a>
        )}
      </div>
      {failure && <Failed failure={failure} again={read.again} />}
      {!endpoints && !failure && <Loading rows={3} />}
      {endpoints?.length === 0 && (
        <Empty>
          <p>Nothing is sent anywhere. An endpoint is an address of your systems that events are sent to.</p>
          {mayManage(me) ? (
            <a class="button primary" href={create}>
              Add an endpoint
            </a>
          ) : (
            <p>People whose role is manage can add one.</p>
          )}
        </Empty>
      )}
      {endpoints && endpoints.length > 0 && (
        <ul class="rows">
          {endpoints.map((endpoint) => (
            <li key={endpoint.id}>
              <EndpointRow endpoint={endpoint} suffix={suffix} />
            </li>
          ))}
        </ul>
      )}
    </main>
  )
}

import { useRead } from '../api/use-read.ts'
import { merchantQuery, type ScreenProps, withQuery } from '../app/router.ts'
import { mayManage, useWho } from '../app/who.ts'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { useRepeat } from '../parts/use-repeat.ts'
import { Connect } from './connect.tsx'
import { EVERY_MS, INTEGRATIONS, LIST } from './data.ts'
import { One } from './one.tsx'
import { IntegrationRow } from './row.tsx'

/** The PSP accounts: a list, one of them, or the form that connects another. The address says which. */
export function Screen({ params: { id }, query }: ScreenProps) {
  if (id !== undefined) return <One id={id} query={query} />
  const source = query.get('connect')
  return source === null ? <List query={query} /> : <Connect source={source} query={query} />
}

function List({ query }: { query: URLSearchParams }) {
  const { me, merchant } = useWho()
  const read = useRead('listIntegrations', { merchant, query: LIST })
  const { data: integrations, failure } = read
  const pending = integrations?.some(({ status }) => status === 'PENDING') ?? false
  useRepeat('listIntegrations ', true, pending ? 2_000 : EVERY_MS)
  const connect = `${INTEGRATIONS}${withQuery(query, { connect: 'choose' })}`
  const suffix = merchantQuery(query)
  return (
    <main>
      <div class="title">
        <h1>Integrations</h1>
        {mayManage(me) && integrations && integrations.length > 0 && (
          <a class="button" href={connect}>
            Connect a PSP account
          </a>
        )}
      </div>
      {failure && <Failed failure={failure} again={read.again} />}
      {!integrations && !failure && <Loading rows={4} />}
      {integrations?.length === 0 && (
        <Empty>
          <p>No PSP account is connected yet. Chargebacks arrive within a minute after one is.</p>
          {mayManage(me) ? (
            <a class="button primary" href={connect}>
              Connect a PSP account
            </a>
          ) : (
            <p>People whose role is manage can connect one.</p>
          )}
        </Empty>
      )}
      {integrations && integrations.length > 0 && (
        <ul class="rows">
          {integrations.map((integration) => (
            <li key={integration.integrationId}>
              <IntegrationRow integration={integration} suffix={suffix} />
            </li>
          ))}
        </ul>
      )}
    </main>
  )
}

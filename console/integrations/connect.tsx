import { useRead } from '../api/use-read.ts'
import { merchantQuery, withQuery } from '../app/router.ts'
import { mayManage, useWho } from '../app/who.ts'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { ConnectForm } from './connect-form.tsx'
import { INTEGRATIONS, type Option } from './data.ts'

/** Connecting an account: first the PSP, then its form. */
export function Connect({ source, query }: { source: string; query: URLSearchParams }) {
  const { me, merchant } = useWho()
  const { data, failure, again } = useRead('listIntegrationOptions', { merchant })
  const options = data?.data
  const option = options?.find((one) => one.source === source)
  const back = `${INTEGRATIONS}${merchantQuery(query)}`
  return (
    <main>
      <nav class="neighbours" aria-label="List">
        <a href={back}>‹ Integrations</a>
      </nav>
      <h1>{option ? `Connect ${option.displayName}` : 'Connect a PSP account'}</h1>
      {failure && <Failed failure={failure} again={again} />}
      {!options && !failure && <Loading rows={5} />}
      {!mayManage(me) && <Empty>People whose role is manage can connect a PSP account. Yours is {me.role}.</Empty>}
      {mayManage(me) && options && !option && <Choice options={options} query={query} />}
      {mayManage(me) && option && <ConnectForm key={option.source} option={option} query={query} />}
    </main>
  )
}

function Choice({ options, query }: { options: readonly Option[]; query: URLSearchParams }) {
  return (
    <>
      <p>Which PSP is it?</p>
      <ul class="choices">
        {options.map(({ source, displayName, externalIdentifier, secretTypes }) => (
          <li key={source}>
            <a class="panel" href={`${INTEGRATIONS}${withQuery(query, { connect: source })}`}>
              <strong>{displayName}</strong>
              <span class="muted">
                {secretTypes.length > 1
                  ? 'Any of the six kinds of credentials'
                  : `${externalIdentifier.title}, ${titlesOf(secretTypes[0])}`}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}

/** The fields that are needed, in a line. */
function titlesOf(type: Option['secretTypes'][number] | undefined): string {
  const { properties = {}, required = [] } = (type?.schema ?? {}) as {
    properties?: Record<string, { title?: string }>
    required?: string[]
  }
  return required.map((name) => properties[name]?.title ?? name).join(', ')
}

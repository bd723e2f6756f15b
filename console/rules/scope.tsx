import { useRead } from '../api/use-read.ts'
import { navigate } from '../app/navigation.ts'
import { withQuery } from '../app/router.ts'
import { useWho } from '../app/who.ts'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { visible } from '../parts/visible.ts'
import { ScopeEditor } from './scope-editor.tsx'

/** Rules of one integration; each has its own. */
export function Scope({ query }: { query: URLSearchParams }) {
  const { merchant } = useWho()
  const list = useRead('listIntegrations', { merchant, query: { limit: 100 } })
  const active = list.data?.filter(({ status }) => status !== 'INACTIVE')
  const asked = query.get('integration')
  const chosen = active?.find(({ integrationId }) => integrationId === asked) ?? active?.[0]
  return (
    <>
      <p>
        A chargeback that a rule names is not answered by Recoup; it stays readable. Whoever decides to fight one
        overrides the rules.
      </p>
      {list.failure && <Failed failure={list.failure} again={list.again} />}
      {!active && !list.failure && <Loading rows={6} />}
      {active && !chosen && (
        <Empty>
          No PSP account is connected, so there is nothing to have rules for.{' '}
          <a href={`/console/integrations${withQuery(query, { integration: undefined })}`}>Integrations</a>
        </Empty>
      )}
      {active && chosen && (
        <>
          {active.length > 1 && (
            <p>
              <label>
                Integration{' '}
                <select
                  value={chosen.integrationId}
                  onChange={(event) =>
                    navigate(`/console/rules${withQuery(query, { integration: event.currentTarget.value })}`)
                  }
                >
                  {active.map(({ integrationId, integrationName, source }) => (
                    <option key={integrationId} value={integrationId}>
                      {visible(integrationName)} ({source})
                    </option>
                  ))}
                </select>
              </label>
            </p>
          )}
          <Rules key={chosen.integrationId} id={chosen.integrationId} name={chosen.integrationName} />
        </>
      )}
    </>
  )
}

function Rules({ id, name }: { id: string; name: string }) {
  const { merchant } = useWho()
  const rules = useRead('readScopeSettings', { params: { id }, merchant })
  const options = useRead('listScopeOptions', { merchant })
  const failed = rules.failure ? rules : options.failure ? options : undefined
  if (failed?.failure && !(rules.data && options.data))
    return <Failed failure={failed.failure} again={() => Promise.all([rules.again(), options.again()])} />
  if (!rules.data || !options.data) return <Loading rows={6} />
  return <ScopeEditor id={id} name={name} rules={rules.data.data} options={options.data.data} />
}

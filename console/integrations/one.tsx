import { CallFailure } from '../api/failure.ts'
import { useRead } from '../api/use-read.ts'
import { merchantQuery } from '../app/router.ts'
import { elsewhere, mayManage, useWho } from '../app/who.ts'
import { Foreign } from '../parts/foreign.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { useRepeat } from '../parts/use-repeat.ts'
import { nameOf } from '../parts/words.ts'
import { Acts } from './acts.tsx'
import { EVERY_MS, INTEGRATIONS, type Integration } from './data.ts'
import { Facts } from './facts.tsx'
import { Permissions } from './permissions.tsx'
import { Quarantine } from './quarantine.tsx'
import { Status } from './row.tsx'
import { Webhook } from './webhook.tsx'

/** One PSP account. */
export function One({ id, query }: { id: string; query: URLSearchParams }) {
  const { me, merchant } = useWho()
  const read = useRead('readIntegration', { params: { id }, merchant, query: { expand: 'details' } })
  const { data: integration, failure } = read
  useRepeat('readIntegration ', true, integration?.status === 'PENDING' ? 1_000 : EVERY_MS)
  const suffix = merchantQuery(query)
  const gone = failure instanceof CallFailure && [400, 404].includes(failure.status)
  return (
    <main>
      <nav class="neighbours" aria-label="List">
        <a href={`${INTEGRATIONS}${suffix}`}>‹ Integrations</a>
      </nav>
      {!integration && (
        <h1 class={gone ? undefined : 'visually-hidden'}>{gone ? 'No such integration' : 'Integration'}</h1>
      )}
      {gone && <Empty>This merchant has no integration with this id. {elsewhere(me)}</Empty>}
      {failure && !gone && <Failed failure={failure} again={read.again} />}
      {!integration && !failure && <Loading rows={6} />}
      {integration && (
        <>
          <div class="row-head">
            <h1>
              <Foreign text={integration.integrationName} />
            </h1>
            <Status integration={integration} />
          </div>
          <Progress integration={integration} />
          {mayManage(me) && <Acts integration={integration} />}
          <div class="panels">
            <div class="column">
              <Facts integration={integration} suffix={suffix} />
              <Permissions integration={integration} />
            </div>
            <div class="column">
              <Webhook integration={integration} />
              <Quarantine integration={integration} />
            </div>
          </div>
        </>
      )}
    </main>
  )
}

/** What keeps it from its work, or what is awaited. */
function Progress({ integration: { status, problem, source } }: { integration: Integration }) {
  if (problem !== undefined)
    return (
      <div class={`notice ${status === 'FAILED' ? 'bad' : 'warn'}`} role="status">
        <p>
          <Foreign text={problem} />
        </p>
      </div>
    )
  if (status !== 'PENDING') return null
  return (
    <div class="notice warn" role="status">
      <p>{nameOf(source)} is being asked whether it accepts the credential. This page shows the answer by itself.</p>
    </div>
  )
}

import { CallFailure } from '../api/failure.ts'
import { useRead } from '../api/use-read.ts'
import { merchantQuery } from '../app/router.ts'
import { mayManage, useWho } from '../app/who.ts'
import { Ago } from '../parts/ago.tsx'
import { Copy } from '../parts/copy.tsx'
import { Foreign } from '../parts/foreign.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { useRepeat } from '../parts/use-repeat.ts'
import { When } from '../parts/when.tsx'
import { Acts } from './acts.tsx'
import { type Endpoint, EVERY_MS, problemOf, resultOf, WEBHOOKS } from './data.ts'
import { Deliveries } from './deliveries.tsx'
import { State } from './row.tsx'

/** One endpoint, with what was sent to it. */
export function One({ id, query }: { id: string; query: URLSearchParams }) {
  const { me, merchant } = useWho()
  const read = useRead('readWebhookEndpoint', { params: { id }, merchant })
  useRepeat('readWebhookEndpoint ', true, EVERY_MS)
  const { failure } = read
  const endpoint = read.data?.data
  const gone = failure instanceof CallFailure && failure.status === 404
  const problem = endpoint && problemOf(endpoint)
  return (
    <main>
      <nav class="neighbours" aria-label="List">
        <a href={`${WEBHOOKS}${merchantQuery(query)}`}>‹ Webhooks</a>
      </nav>
      {gone && (
        <>
          <h1>No such endpoint</h1>
          <Empty>This merchant has no webhook endpoint with this id. It may have been deleted.</Empty>
        </>
      )}
      {!gone && !endpoint && <h1 class="visually-hidden">Webhook endpoint</h1>}
      {failure && !gone && <Failed failure={failure} again={read.again} />}
      {!endpoint && !failure && <Loading rows={6} />}
      {endpoint && !gone && (
        <>
          <div class="row-head">
            <h1>
              <Foreign text={endpoint.description || endpoint.url} />
            </h1>
            <State endpoint={endpoint} />
          </div>
          {problem && (
            <div class={`notice ${endpoint.state === 'disabled' ? 'bad' : 'warn'}`} role="status">
              <p>{problem}</p>
            </div>
          )}
          {mayManage(me) && <Acts endpoint={endpoint} suffix={merchantQuery(query)} />}
          <Facts endpoint={endpoint} />
          <Deliveries endpoint={endpoint} query={query} />
        </>
      )}
    </main>
  )
}

function Facts({ endpoint }: { endpoint: Endpoint }) {
  const { url, events, payload, signature, publicKey, createdAt, lastSuccessAt, lastFailure, pending } = endpoint
  return (
    <section class="panel" aria-labelledby="facts">
      <h2 id="facts">Endpoint</h2>
      <dl class="facts">
        <div>
          <dt>Address</dt>
          <dd>
            <Foreign text={url} />
          </dd>
        </div>
        <div>
          <dt>Events</dt>
          <dd>{events.join(', ')}</dd>
        </div>
        <div>
          <dt>Content</dt>
          <dd>
            {payload} · signed with HMAC{signature === 'ed25519' && ' and ed25519'}
          </dd>
        </div>
        {publicKey && (
          <div>
            <dt>Public key</dt>
            <dd>
              <Copy text={publicKey} what="the public key" />
            </dd>
          </div>
        )}
        <div>
          <dt>Last success</dt>
          <dd>{lastSuccessAt ? <Ago at={lastSuccessAt} /> : 'none yet'}</dd>
        </div>
        <div>
          <dt>Last failure</dt>
          <dd>
            {lastFailure ? (
              <>
                <Ago at={lastFailure.at} />: {resultOf(lastFailure)}
              </>
            ) : (
              'none'
            )}
          </dd>
        </div>
        <div>
          <dt>Waiting</dt>
          <dd>
            {pending} {pending === 1 ? 'event' : 'events'}
          </dd>
        </div>
        <div>
          <dt>Created</dt>
          <dd>
            <When at={createdAt} />
          </dd>
        </div>
      </dl>
    </section>
  )
}

import { Ago } from '../parts/ago.tsx'
import { Foreign } from '../parts/foreign.tsx'
import { Sign } from '../parts/sign.tsx'
import { type Endpoint, problemOf, signOf, WEBHOOKS } from './data.ts'

/** The API's word with shape and colour. */
export function State({ endpoint }: { endpoint: Endpoint }) {
  return (
    <Sign class="status" sign={signOf(endpoint)}>
      {endpoint.state}
    </Sign>
  )
}

export function EndpointRow({ endpoint, suffix }: { endpoint: Endpoint; suffix: string }) {
  const { id, url, description, events, lastSuccessAt, pending } = endpoint
  const problem = problemOf(endpoint)
  return (
    <article class="panel row">
      <div class="row-head">
        <h2>
          <a href={`${WEBHOOKS}/${id}${suffix}`}>
            <Foreign text={description || url} />
          </a>
        </h2>
        <State endpoint={endpoint} />
        {description && (
          <span class="muted">
            <Foreign text={url} />
          </span>
        )}
      </div>
      {problem && <p class={endpoint.state === 'disabled' ? 'bad' : 'warn'}>{problem}</p>}
      <p class="muted facts-line">
        <span>
          {lastSuccessAt ? (
            <>
              last success <Ago at={lastSuccessAt} />
            </>
          ) : (
            'no success yet'
          )}
        </span>
        <span class={pending > 0 ? 'warn' : undefined}>{pending} waiting</span>
        <span>{events.join(', ')}</span>
      </p>
    </article>
  )
}

import { mayManage, useWho } from '../app/who.ts'
import { Ago } from '../parts/ago.tsx'
import { Foreign } from '../parts/foreign.tsx'
import { Sign } from '../parts/sign.tsx'
import { When } from '../parts/when.tsx'
import { nameOf } from '../parts/words.ts'
import { INTEGRATIONS, type Integration, signOf } from './data.ts'
import { PollNow } from './poll-now.tsx'

/** The API's word with shape and colour. */
export function Status({ integration }: { integration: Integration }) {
  return (
    <Sign class="status" sign={signOf(integration)}>
      {integration.status}
      {integration.details?.paused && ' · paused'}
    </Sign>
  )
}

/** What was polled last, in a line. */
export function Polled({ integration }: { integration: Integration }) {
  const { status, lastPolledAt, quarantined, details } = integration
  const chargebacks = details?.chargebacks ?? 0
  return (
    <p class="muted facts-line">
      {lastPolledAt ? (
        <span>
          polled <Ago at={lastPolledAt} />
        </span>
      ) : (
        <span>{status === 'INACTIVE' ? 'not polled any more' : 'not polled yet'}</span>
      )}
      <span>
        {chargebacks >= 1_000 ? '1,000 or more' : chargebacks} {chargebacks === 1 ? 'chargeback' : 'chargebacks'}
      </span>
      <span class={quarantined > 0 ? 'warn' : undefined}>{quarantined} in quarantine</span>
    </p>
  )
}

export function IntegrationRow({ integration, suffix }: { integration: Integration; suffix: string }) {
  const { me } = useWho()
  const { integrationId, integrationName, source, problem, status, statusChangedAt, details } = integration
  return (
    <article class="panel row">
      <div class="row-head">
        <h2>
          <a href={`${INTEGRATIONS}/${integrationId}${suffix}`}>
            <Foreign text={integrationName} />
          </a>
        </h2>
        <Status integration={integration} />
        <span class="muted">
          {nameOf(source)} · <Foreign text={details?.externalIdentifier ?? ''} />
        </span>
      </div>
      {problem && (
        <p class={status === 'FAILED' ? 'bad' : 'warn'}>
          {status === 'FAILED' && (
            <>
              Since <When at={statusChangedAt} />:{' '}
            </>
          )}
          <Foreign text={problem} />
        </p>
      )}
      <Polled integration={integration} />
      {mayManage(me) && status !== 'INACTIVE' && (
        <div class="acts">
          <PollNow integration={integration} />
          {status === 'FAILED' && (
            <a class="button" href={`${INTEGRATIONS}/${integrationId}${suffix}`}>
              Replace the key
            </a>
          )}
        </div>
      )}
    </article>
  )
}

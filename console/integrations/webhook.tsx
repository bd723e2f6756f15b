import { useRead } from '../api/use-read.ts'
import { useWho } from '../app/who.ts'
import { Ago } from '../parts/ago.tsx'
import { Copy } from '../parts/copy.tsx'
import { Failed } from '../parts/states.tsx'
import type { Integration } from './data.ts'

/** The address that the PSP sends notifications to, what it must send, and whether any came. */
export function Webhook({ integration }: { integration: Integration }) {
  const { merchant } = useWho()
  const { data, failure, again } = useRead('listIntegrationOptions', { merchant })
  const { details, source, lastNotificationAt, status } = integration
  const option = data?.data.find((one) => one.source === source)
  if (!details || status === 'INACTIVE' || (data && !option?.webhook)) return null
  const url = new URL(details.notificationUrl)
  return (
    <section class="panel" aria-labelledby="webhook">
      <h2 id="webhook">Webhook of the PSP</h2>
      <p>With a webhook a change is read within seconds; without one, at the next poll.</p>
      <Copy text={details.notificationUrl} what="the webhook's address" />
      {url.protocol === 'http:' && (
        <p class="warn">A PSP needs an https address that it can reach. The operator sets it with RECOUP_PUBLIC_URL.</p>
      )}
      {failure && <Failed failure={failure} again={again} />}
      {option?.webhook && (
        <>
          <h3>Where to enter it</h3>
          <p>{option.webhook.where}</p>
          <h3>What it must send</h3>
          <ul class="plain-list">
            {option.webhook.events.map((name) => (
              <li key={name}>{/^[\w.]+$/.test(name) ? <code>{name}</code> : name}</li>
            ))}
          </ul>
        </>
      )}
      <h3>Deliveries</h3>
      <p class={lastNotificationAt ? 'good' : 'muted'}>
        {lastNotificationAt ? (
          <>
            ● The last genuine one came <Ago at={lastNotificationAt} />
          </>
        ) : (
          '○ Waiting for the first delivery'
        )}
      </p>
    </section>
  )
}

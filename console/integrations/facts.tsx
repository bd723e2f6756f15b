import type { ComponentChildren } from 'preact'
import { Ago } from '../parts/ago.tsx'
import { Foreign } from '../parts/foreign.tsx'
import { When } from '../parts/when.tsx'
import { nameOf } from '../parts/words.ts'
import type { Integration } from './data.ts'

/** Account, polls and dates. */
export function Facts({ integration, suffix }: { integration: Integration; suffix: string }) {
  const { source, integrationId, lastPolledAt, lastNotificationAt, goLiveDate, statusChangedAt, details } = integration
  return (
    <section class="panel" aria-labelledby="facts">
      <h2 id="facts">Account and polls</h2>
      <dl class="facts">
        <Fact name="PSP">{nameOf(source)}</Fact>
        <Fact name="Account">
          <Foreign text={details?.externalIdentifier ?? ''} />
          {details?.pspAccount !== undefined && details.pspAccount !== details.externalIdentifier && (
            <>
              {' '}
              · the PSP calls it <Foreign text={details.pspAccount} />
            </>
          )}
        </Fact>
        <Fact name="Status since">
          <When at={statusChangedAt} />
        </Fact>
        <Fact name="Last poll">{lastPolledAt ? <Ago at={lastPolledAt} /> : 'none yet'}</Fact>
        <Fact name="Last good poll">{details?.lastSuccessAt ? <When at={details.lastSuccessAt} /> : 'none yet'}</Fact>
        <Fact name="Last notification">{lastNotificationAt ? <Ago at={lastNotificationAt} /> : 'none yet'}</Fact>
        <Fact name="Chargebacks">
          {(details?.chargebacks ?? 0) >= 1_000 ? '1,000 or more' : (details?.chargebacks ?? 0)}
        </Fact>
        <Fact name="Handled from">{goLiveDate ? <When at={goLiveDate} /> : 'the first one on'}</Fact>
        {details?.deactivation && (
          <Fact name="Ends">
            <When at={details.deactivation.date} />, by{' '}
            {details.deactivation.type === 'dueDate' ? 'due date' : 'posting date'}
          </Fact>
        )}
        {details && (
          <Fact name="Connected">
            <When at={details.createdAt} />
            {details.secretReplacedAt && (
              <>
                , key replaced <When at={details.secretReplacedAt} />
              </>
            )}
          </Fact>
        )}
        <Fact name="Rules">
          <a href={`/console/rules${suffix === '' ? '?' : `${suffix}&`}integration=${integrationId}`}>
            What is out of scope
          </a>
        </Fact>
      </dl>
    </section>
  )
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

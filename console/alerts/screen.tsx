import { useState } from 'preact/hooks'
import { useRead } from '../api/use-read.ts'
import { navigate } from '../app/navigation.ts'
import { merchantQuery, type ScreenProps, withQuery } from '../app/router.ts'
import { mayWork, useWho } from '../app/who.ts'
import { ActButton } from '../parts/act-button.tsx'
import { Foreign } from '../parts/foreign.tsx'
import { money } from '../parts/money.ts'
import { Sign } from '../parts/sign.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { visible } from '../parts/visible.ts'
import { When } from '../parts/when.tsx'
import { nameOf } from '../parts/words.ts'
import { type Alert, isOpen, outcomeText } from './data.ts'
import { OutcomeDialog } from './outcome.tsx'

const ALERTS = '/console/alerts'
const EVERY_MS = 30_000
const LIMIT = 25

/** Warnings before a chargeback, and what became of them. */
export function Screen({ query }: ScreenProps) {
  const { merchant } = useWho()
  const page = Math.max(1, Math.min(10_000, Number.parseInt(query.get('page') ?? '1', 10) || 1))
  const read = useRead('listAlerts', { merchant, query: { limit: LIMIT, page } }, EVERY_MS)
  const { data, failure } = read
  const go = (to: number) => navigate(`${ALERTS}${withQuery(query, { page: to === 1 ? undefined : String(to) })}`)
  return (
    <main>
      <h1>Alerts</h1>
      <p class="muted">
        A warning that a cardholder disputes a payment. When the order is stopped or refunded in time, and the outcome
        is reported, no chargeback follows.
      </p>
      {failure && <Failed failure={failure} again={read.again} />}
      {!data && !failure && <Loading rows={6} />}
      {data?.data.length === 0 && (
        <Empty>
          {page === 1 ? (
            'No alert has arrived. They come from PSPs that report early warnings.'
          ) : (
            <>
              No alert is on this page. <a href={`${ALERTS}${merchantQuery(query)}`}>Newest</a>
            </>
          )}
        </Empty>
      )}
      {data && data.data.length > 0 && (
        <>
          <Table alerts={data.data} suffix={merchantQuery(query)} />
          {(page > 1 || data.hasMore) && (
            <div class="buttons">
              <button type="button" aria-disabled={page === 1} onClick={() => page > 1 && go(page - 1)}>
                Newer ones
              </button>
              <button type="button" aria-disabled={!data.hasMore} onClick={() => data.hasMore && go(page + 1)}>
                Earlier ones
              </button>
            </div>
          )}
        </>
      )}
    </main>
  )
}

function Table({ alerts, suffix }: { alerts: readonly Alert[]; suffix: string }) {
  const { me } = useWho()
  const [opened, open] = useState<Alert>()
  return (
    <>
      <table class="cards">
        <thead>
          <tr>
            <th scope="col">Arrived</th>
            <th scope="col" class="figure">
              Amount
            </th>
            <th scope="col">From</th>
            <th scope="col">Payment</th>
            <th scope="col">Outcome</th>
          </tr>
        </thead>
        <tbody>
          {alerts.map((alert) => (
            <tr key={alert.alertId}>
              <td>
                <When at={alert.receivedAt} />
              </td>
              <td class="figure">{money(alert.amount, alert.currency)}</td>
              <td>
                {alert.providerName ?? nameOf(alert.psp)}
                {alert.reason && (
                  <span class="muted">
                    {' '}
                    · <Foreign text={alert.reason} />
                  </span>
                )}
              </td>
              <td>
                <Foreign text={alert.transactionId ?? alert.arn ?? ''} />
                {alert.cardLastFourDigits && (
                  <span class="muted">
                    {' '}
                    {alert.cardScheme && visible(alert.cardScheme)} •••• {visible(alert.cardLastFourDigits)}
                  </span>
                )}
                {alert.chargebackId && (
                  <>
                    {' '}
                    <a href={`/console/chargebacks/${alert.chargebackId}${suffix}`}>case</a>
                  </>
                )}
              </td>
              <td>
                <Result alert={alert} />
                {mayWork(me) && isOpen(alert) && (
                  <ActButton
                    label={`Report the outcome of the alert of ${money(alert.amount, alert.currency)}`}
                    onAct={() => open(alert)}
                  >
                    Report the outcome…
                  </ActButton>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {opened && <OutcomeDialog alert={opened} onClose={() => open(undefined)} />}
    </>
  )
}

function Result({ alert }: { alert: Alert }) {
  const { outcome, refunded, reportedAt } = alert
  if (outcome === undefined && refunded === undefined) return <Sign sign={['○', 'warn']}>none yet </Sign>
  const words = outcome !== undefined && outcomeText(outcome)
  return (
    <p>
      {isOpen(alert) ? <Sign sign={['◐', 'warn']}>{words}</Sign> : words}
      {outcome !== undefined && refunded !== undefined && ' · '}
      {refunded}
      {reportedAt && (
        <>
          {' '}
          <span class="muted">
            <When at={reportedAt} short />
          </span>
        </>
      )}
    </p>
  )
}

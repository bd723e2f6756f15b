import { serverNow } from '../api/connection.ts'
import type { Schemas } from '../api/operations.ts'
import { useRead } from '../api/use-read.ts'
import { navigate } from '../app/navigation.ts'
import { QUEUE, type ScreenProps, withQuery } from '../app/router.ts'
import { useWho } from '../app/who.ts'
import { figure, money } from '../parts/money.ts'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { byMonth, byReason, lastMonths, mainCurrency, weeksOf } from './figures.ts'
import { Months, Ratio, Reasons, Weeks } from './pictures.tsx'

const MONTHS = 12
const EVERY_MS = 60_000

/** What came of the chargebacks, and what is at risk: each figure leads to its rows. */
export function Screen({ query }: ScreenProps) {
  const { merchant } = useWho()
  const all = useRead('readSummary', { merchant, query: { by: ['currency'] } }, EVERY_MS)
  const groups = all.data?.data.groups ?? []
  const counts = new Map(groups.map((group) => [group.currency ?? '', group.chargebacks]))
  const asked = query.get('currency')
  const currency = asked !== null && counts.has(asked) ? asked : mainCurrency(counts)
  const failure = all.failure
  return (
    <main>
      <div class="title">
        <h1>Overview</h1>
        {counts.size > 1 && (
          <label>
            Currency{' '}
            <select
              value={currency}
              onChange={(event) =>
                navigate(`/console/overview${withQuery(query, { currency: event.currentTarget.value })}`)
              }
            >
              {[...counts.keys()].sort().map((code) => (
                <option key={code} value={code}>
                  {code}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {failure && <Failed failure={failure} again={all.again} />}
      {!all.data && !failure && <Loading rows={10} />}
      {all.data && currency === undefined && (
        <Empty>
          <p>There are no chargebacks yet. They arrive within a minute after a PSP account is connected.</p>
        </Empty>
      )}
      {currency !== undefined && (
        <Pictures
          {...{ currency, query }}
          total={groups.find((group) => group.currency === currency)}
          dueWeeks={all.data?.data.dueWeeks ?? []}
        />
      )}
    </main>
  )
}

interface PicturesProps {
  currency: string
  query: URLSearchParams
  total: Schemas['SummaryGroup'] | undefined
  dueWeeks: readonly Schemas['SummaryDueWeek'][]
}

function Pictures({ currency, query, total, dueWeeks }: PicturesProps) {
  const { merchant } = useWho()
  const months = lastMonths(new Date(serverNow()).toISOString(), MONTHS)
  const inMonths = useRead(
    'readSummary',
    { merchant, query: { by: ['month'], currency: [currency], startMonth: months[0] } },
    EVERY_MS,
  )
  const reasons = useRead('readSummary', { merchant, query: { by: ['reasonGroup'] } }, EVERY_MS)
  const ratio = useRead('readChargebackRatio', { merchant, query: {} }, EVERY_MS)
  const toQueue = (filter: Record<string, string>) =>
    `${QUEUE}${withQuery(new URLSearchParams(filter), { m: query.get('m') ?? undefined })}`
  return (
    <>
      {total && <Headline total={total} currency={currency} toQueue={toQueue} />}
      <div class="panels">
        {inMonths.data && (
          <Months months={byMonth(inMonths.data.data.groups, months, currency)} {...{ currency, toQueue }} />
        )}
        {isComing(inMonths) && <Loading rows={6} />}
        {inMonths.failure && <Failed failure={inMonths.failure} again={inMonths.again} />}
        <Weeks weeks={weeksOf(dueWeeks, currency)} {...{ currency, toQueue }} />
        {reasons.data && <Reasons reasons={byReason(reasons.data.data.groups)} toQueue={toQueue} />}
        {isComing(reasons) && <Loading rows={6} />}
        {reasons.failure && <Failed failure={reasons.failure} again={reasons.again} />}
        {ratio.data && <Ratio months={ratio.data.data} toQueue={toQueue} />}
        {isComing(ratio) && <Loading rows={6} />}
        {ratio.failure && <Failed failure={ratio.failure} again={ratio.again} />}
      </div>
    </>
  )
}

const isComing = ({ data, failure }: { data?: unknown; failure?: unknown }) => !data && !failure

interface HeadlineProps {
  total: Schemas['SummaryGroup']
  currency: string
  toQueue: (filter: Record<string, string>) => string
}

/** The sums of one currency. */
function Headline({ total, currency, toQueue }: HeadlineProps) {
  const amounts = total.amounts.find((one) => one.currency === currency)
  const figures = [
    ['At risk', amounts?.openAmount, total.open, 'needs_response,under_review,unknown'],
    ['Won', amounts?.wonAmount, total.won, 'won'],
    ['Lost', amounts?.lostAmount, total.lost, 'lost'],
  ] as const
  return (
    <dl class="headline">
      {figures.map(([name, amount, count, pspStatus]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <a href={toQueue({ pspStatus, currency })}>{money(amount, currency)}</a>{' '}
            <span class="muted">{figure(count)} chargebacks</span>
          </dd>
        </div>
      ))}
      {total.winRate !== undefined && (
        <div>
          <dt>Win rate</dt>
          <dd>
            {Math.round(total.winRate * 1_000) / 10} %
            {total.medianDaysToDecision !== undefined && (
              <span class="muted"> decided after {total.medianDaysToDecision} days, the median</span>
            )}
          </dd>
        </div>
      )}
    </dl>
  )
}

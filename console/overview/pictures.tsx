import type { Schemas } from '../api/operations.ts'
import { Columns } from '../parts/columns.tsx'
import { figure, money } from '../parts/money.ts'
import { nameOf } from '../parts/words.ts'
import { FEW, type MonthFigures, monthRange, type ReasonFigures, weekRange } from './figures.ts'
import { Picture } from './picture.tsx'

/** Address of the queue with a filter. */
export type ToQueue = (filter: Record<string, string>) => string

interface InCurrency {
  currency: string
  toQueue: ToQueue
}

const compact = new Intl.NumberFormat('en-GB', { notation: 'compact', maximumFractionDigits: 1 })
const percent = new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 })
const fine = new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 2 })
const monthName = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' })
const dayName = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const shortMonth = (month: string) => monthName.format(new Date(`${month}-01T00:00:00Z`))

/** Status, its amount, and how it looks: by shape and colour. */
const OUTCOMES = [
  ['won', 'wonAmount', 'good', 'Filled green'],
  ['lost', 'lostAmount', 'bad', 'outlined red'],
  ['split', 'splitAmount', 'warn', 'dashed amber'],
] as const

export function Months({ months, currency, toQueue }: InCurrency & { months: readonly MonthFigures[] }) {
  const link = (month: string, pspStatus: string) => toQueue({ pspStatus, currency, ...monthRange(month) })
  const all = months.some(({ splitAmount }) => splitAmount > 0) ? OUTCOMES : OUTCOMES.slice(0, 2)
  const isEmpty = months.every((one) => OUTCOMES.every(([, amount]) => one[amount] === 0))
  return (
    <Picture
      title="Won and lost by month"
      about={`Amounts in ${currency}, by the month of the posting date, UTC. ${all.map(([status, , , look]) => `${look} was ${status}`).join(', ')}.`}
      nothing={`Nothing in ${currency} was decided in the last twelve months.`}
      headings={[
        'Month',
        ...all.map(([status]) => (status === 'won' ? 'Won' : status === 'lost' ? 'Lost' : 'Split')),
        'Open',
      ]}
      rows={
        isEmpty
          ? []
          : months.map((one) => [
              one.month,
              ...all.map(([status, amount]) => (
                <a key={status} href={link(one.month, status)}>
                  {money(one[amount], currency)}
                </a>
              )),
              <a key="open" href={link(one.month, 'needs_response,under_review,unknown')}>
                {money(one.openAmount, currency)}
              </a>,
            ])
      }
      picture={
        <Columns
          format={(value) => compact.format(value)}
          columns={months.map((one) => ({
            label: shortMonth(one.month),
            parts: OUTCOMES.map(([status, amount, tone]) => ({
              ...{ value: one[amount], tone, href: link(one.month, status) },
              title: `${one.month}: ${status} ${money(one[amount], currency)}`,
            })),
          }))}
        />
      }
    />
  )
}

export function Weeks({ weeks, currency, toQueue }: InCurrency & { weeks: readonly Schemas['SummaryDueWeek'][] }) {
  const link = (week: string) => toQueue({ pspStatus: 'needs_response', currency, ...weekRange(week) })
  const dated = weeks.filter(({ week }) => week !== undefined)
  return (
    <Picture
      title="Money at risk by due week"
      about={`Amounts in ${currency} of chargebacks that need a response, by the Monday of the week in which they are due, UTC.`}
      nothing={`Nothing in ${currency} needs a response.`}
      headings={['Week from', 'Chargebacks', 'At risk']}
      // No filter of the queue finds chargebacks without a due date, so those figures lead nowhere.
      rows={weeks.map(({ week, chargebacks, amount }) =>
        week === undefined
          ? ['no due date', chargebacks, money(amount, currency)]
          : [
              week,
              <a key="n" href={link(week)}>
                {chargebacks}
              </a>,
              <a key="amount" href={link(week)}>
                {money(amount, currency)}
              </a>,
            ],
      )}
      picture={
        <Columns
          format={(value) => compact.format(value)}
          columns={dated.map(({ week = '', chargebacks, amount }) => ({
            label: dayName.format(new Date(`${week}T00:00:00Z`)),
            parts: [
              {
                ...{ value: amount, tone: 'accent', href: link(week) },
                title: `week from ${week}: ${chargebacks} chargebacks, ${money(amount, currency)}`,
              },
            ],
          }))}
        />
      }
    />
  )
}

export function Reasons({ reasons, toQueue }: { reasons: readonly ReasonFigures[]; toQueue: ToQueue }) {
  const decided = reasons.filter((one) => one.decided > 0)
  const link = (reasonGroup: string, pspStatus = 'won,lost,split') => toQueue({ reasonGroup, pspStatus })
  return (
    <Picture
      title="Win rate by reason"
      about={`Share won of the decided chargebacks of all currencies; a split one counts half. Grey: fewer than ${FEW} were decided.`}
      nothing="Nothing was decided yet."
      headings={['Reason', 'Won', 'Decided', 'Win rate']}
      rows={decided.map(({ reasonGroup, won, decided: n, rate }) => [
        nameOf(reasonGroup),
        <a key="won" href={link(reasonGroup, 'won')}>
          {won}
        </a>,
        <a key="n" href={link(reasonGroup)}>
          {n}
        </a>,
        rate === undefined ? (
          '–'
        ) : (
          <a key="rate" href={link(reasonGroup)}>
            {percent.format(rate)}
          </a>
        ),
      ])}
      picture={
        <div class="rows" aria-hidden="true">
          {decided.map(({ reasonGroup, decided: n, rate = 0 }) => (
            <div key={reasonGroup}>
              <span>{nameOf(reasonGroup)}</span>
              <svg viewBox="0 0 100 10" preserveAspectRatio="none">
                <title>{nameOf(reasonGroup)}</title>
                <rect class="track" x="0" y="0" width="100" height="10" />
                <a href={link(reasonGroup)} tabindex={-1}>
                  <rect class={n < FEW ? 'muted' : 'good'} x="0" y="0" width={rate * 100} height="10">
                    <title>{`${nameOf(reasonGroup)}: ${percent.format(rate)} of ${n}`}</title>
                  </rect>
                </a>
              </svg>
              <span class="value">
                {percent.format(rate)} <span class="muted">n = {n}</span>
              </span>
            </div>
          ))}
        </div>
      }
    />
  )
}

export function Ratio({ months, toQueue }: { months: readonly Schemas['RatioMonth'][]; toQueue: ToQueue }) {
  const told = months.some(({ transactions }) => transactions > 0)
  const lifecycleStage = 'chargeback,second_chargeback,third_chargeback'
  const link = (month: string) => toQueue({ pspStatus: 'any', lifecycleStage, ...monthRange(month) })
  return (
    <Picture
      title="Chargeback ratio"
      about="Chargebacks posted in a month per transaction of that month, as Visa counts. It is as complete as the transactions that Recoup was told."
      nothing="Recoup was told no transactions, so there is no ratio. Send them with POST /v1/transactions."
      headings={['Month', 'Chargebacks', 'Transactions', 'Ratio (Visa)', 'To the month before (Mastercard)']}
      rows={
        told
          ? months.map(({ month, chargebacks, transactions, ratio, ratioToMonthBefore }) => [
              month,
              <a key="n" href={link(month)}>
                {chargebacks}
              </a>,
              figure(transactions),
              ratio === undefined ? (
                '–'
              ) : (
                <a key="ratio" href={link(month)}>
                  {fine.format(ratio)}
                </a>
              ),
              ratioToMonthBefore === undefined ? (
                '–'
              ) : (
                <a key="before" href={link(month)}>
                  {fine.format(ratioToMonthBefore)}
                </a>
              ),
            ])
          : []
      }
      picture={
        <Columns
          format={(value) => fine.format(value)}
          columns={months.map(({ month, ratio = 0, chargebacks, transactions }) => ({
            label: shortMonth(month),
            parts: [
              {
                ...{ value: ratio, tone: 'accent', href: link(month) },
                title: `${month}: ${chargebacks} chargebacks per ${transactions} transactions, ${fine.format(ratio)}`,
              },
            ],
          }))}
        />
      }
    />
  )
}

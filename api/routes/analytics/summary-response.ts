import type { z } from '@hono/zod-openapi'
import type { Decided, Dimension, SummaryRow } from '../../../db/analytics/summary.ts'
import { inUnits, medianDays, sumOfAmounts, winRate } from '../../../domain/analytics/outcomes.ts'
import type { summary } from './summary-shape.ts'

const outcomes = ({ all, ...rest }: Decided) => {
  const rate = winRate(rest)
  return { all, ...rest, ...(rate !== undefined && { winRate: rate }) }
}

/** Rows of the sums in the shape of the response. */
export function toSummary(rows: readonly SummaryRow[], by: readonly Dimension[]): z.infer<typeof summary> {
  const partsOf = grouped(
    rows.filter(({ part }) => part !== 'due'),
    ({ values }) => JSON.stringify(values),
  )
  const groups = [...partsOf.values()].flatMap((parts) => {
    const total = parts.find(({ part }) => part === 'total')
    return total ? [toGroup(total, parts, by)] : []
  })
  const due = rows.filter(({ part, waiting }) => part === 'due' && waiting.count > 0n)
  const dueWeeks = [...grouped(due, ({ week, currency }) => `${week} ${currency}`).values()].map((same) => ({
    ...(same[0]?.week && { week: same[0].week }),
    currency: same[0]?.currency ?? '',
    chargebacks: Number(same.reduce((sum, { waiting }) => sum + waiting.count, 0n)),
    amount: inUnits(
      sumOfAmounts(same.map(({ waiting, exponent }) => ({ minor: waiting.minor, exponent: exponent ?? 0 }))),
    ),
  }))
  return { groups, dueWeeks }
}

function toGroup(total: SummaryRow, parts: readonly SummaryRow[], by: readonly Dimension[]) {
  const { all, winRate: rate, ...counts } = outcomes(total.counts)
  const named = by.flatMap((name, index) => {
    const value = total.values[index]
    return value === null || value === undefined ? [] : [[name, name === 'month' ? value.slice(0, 7) : value]]
  })
  const days = parts.flatMap(({ part, days: one, counts }) =>
    part === 'days' && one !== null ? [{ days: one, count: counts.all }] : [],
  )
  const median = medianDays(days)
  const byCurrency = grouped(
    parts.filter(({ part }) => part === 'amount'),
    ({ currency }) => currency ?? '',
  )
  return {
    ...Object.fromEntries(named),
    chargebacks: Number(all),
    open: Number(counts.open),
    won: Number(counts.won),
    lost: Number(counts.lost),
    split: Number(counts.split),
    ...(rate !== undefined && { winRate: rate }),
    ...(median !== undefined && { medianDaysToDecision: median }),
    amounts: [...byCurrency].map(([currency, same]) => toAmounts(currency, same)),
  }
}

function toAmounts(currency: string, rows: readonly SummaryRow[]) {
  const sum = (of: keyof Decided) =>
    sumOfAmounts(rows.map(({ amounts, exponent }) => ({ minor: amounts[of], exponent: exponent ?? 0 })))
  const { winRate: rate, ...sums } = outcomes({
    ...{ all: sum('all'), open: sum('open'), won: sum('won'), lost: sum('lost'), split: sum('split') },
  })
  return {
    currency,
    amount: inUnits(sums.all),
    openAmount: inUnits(sums.open),
    wonAmount: inUnits(sums.won),
    lostAmount: inUnits(sums.lost),
    splitAmount: inUnits(sums.split),
    ...(rate !== undefined && { winRate: rate }),
  }
}

/** The values of each key, in the order in which the keys first appear. */
function grouped<Value>(values: readonly Value[], keyOf: (value: Value) => string): Map<string, Value[]> {
  const all = new Map<string, Value[]>()
  for (const value of values) {
    const key = keyOf(value)
    const known = all.get(key)
    if (known) known.push(value)
    else all.set(key, [value])
  }
  return all
}

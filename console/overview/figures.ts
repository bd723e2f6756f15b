import type { Schemas } from '../api/operations.ts'

type Group = Schemas['SummaryGroup']
type Week = Schemas['SummaryDueWeek']

/** Fewer decided cases than this say little about a win rate. */
export const FEW = 10

export interface MonthFigures {
  /** `2026-01`, UTC, of the posting date. */
  month: string
  won: number
  lost: number
  /** Amounts in units of the one currency. */
  wonAmount: number
  lostAmount: number
  splitAmount: number
  openAmount: number
}

/** The months up to `last`, oldest first; a month without chargebacks is there, too. */
export function lastMonths(last: string, count: number): string[] {
  const end = Number(last.slice(0, 4)) * 12 + Number(last.slice(5, 7)) - 1
  return Array.from({ length: count }, (_, index) => {
    const month = end - count + 1 + index
    return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`
  })
}

/** @param groups by month, of one currency */
export function byMonth(groups: readonly Group[], months: readonly string[], currency: string): MonthFigures[] {
  return months.map((month) => {
    const group = groups.find((one) => one.month === month)
    const amounts = group?.amounts.find((one) => one.currency === currency)
    return {
      ...{ month, won: group?.won ?? 0, lost: group?.lost ?? 0 },
      ...{ wonAmount: amounts?.wonAmount ?? 0, lostAmount: amounts?.lostAmount ?? 0 },
      ...{ splitAmount: amounts?.splitAmount ?? 0, openAmount: amounts?.openAmount ?? 0 },
    }
  })
}

export interface ReasonFigures {
  reasonGroup: string
  won: number
  /** Won, lost and split. */
  decided: number
  /** 0 to 1; undefined when nothing was decided. */
  rate: number | undefined
}

/** Most decided first. */
export function byReason(groups: readonly Group[]): ReasonFigures[] {
  return groups
    .map(({ reasonGroup = '', won, lost, split, winRate }) => ({
      ...{ reasonGroup, won, decided: won + lost + split, rate: winRate },
    }))
    .sort((a, b) => b.decided - a.decided)
}

/** The currency with the most chargebacks; undefined without any. */
export function mainCurrency(counts: ReadonlyMap<string, number>): string | undefined {
  return [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))[0]?.[0]
}

/** Weeks of one currency, earliest first. */
export const weeksOf = (weeks: readonly Week[], currency: string): Week[] =>
  weeks.filter((week) => week.currency === currency)

/** First and last moment of a month, UTC, for filters that include both. */
export const monthRange = (month: string) => {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return { startDate: `${month}-01T00:00:00.000Z`, endDate: new Date(Date.UTC(year, number, 1) - 1).toISOString() }
}

/** First and last moment of the week that begins at that Monday, UTC. */
export const weekRange = (monday: string) => ({
  dueAfter: `${monday}T00:00:00.000Z`,
  dueBefore: new Date(Date.parse(`${monday}T00:00:00Z`) + 7 * 24 * 3_600_000 - 1).toISOString(),
})

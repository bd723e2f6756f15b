/** Calendar days as YYYY-MM-DD in UTC; Braintree's filters and many of its fields know nothing finer. */

const DAY_MS = 86_400_000

export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10)
}

export function addDays(day: string, count: number): string {
  return dayOf(new Date(Date.parse(day) + count * DAY_MS))
}

/** How many days `to` is after `from`. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS)
}

/** MM/DD/YYYY, as Braintree's own SDK tests send days. */
export function wireDay(day: string): string {
  const [year, month, date] = day.split('-')
  return `${month}/${date}/${year}`
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Time left in words: hours below two days, then days. @param now of the server, ms */
export function timeLeft(dueDate: string, now: number): string {
  const left = Date.parse(dueDate) - now
  if (left <= 0) return 'overdue'
  if (left < HOUR) return `${Math.max(1, Math.floor(left / 60_000))} min`
  if (left < 2 * DAY) return `${Math.floor(left / HOUR)} h`
  return `${Math.floor(left / DAY)} d`
}

/** As `timeLeft`, but of days with their hours: `3 d 14 h`. */
export function timeLeftInHours(dueDate: string, now: number): string {
  const left = Date.parse(dueDate) - now
  if (left < 2 * DAY) return timeLeft(dueDate, now)
  return `${Math.floor(left / DAY)} d ${Math.floor((left % DAY) / HOUR)} h`
}

export const DUE_GROUPS = ['Overdue', 'Within 24 hours', '1–3 days', '4–7 days', 'Later', 'No due date'] as const
export type DueGroup = (typeof DUE_GROUPS)[number]

/** @param now of the server, ms */
export function dueGroup(dueDate: string | undefined, now: number): DueGroup {
  if (dueDate === undefined) return 'No due date'
  const left = Date.parse(dueDate) - now
  if (left <= 0) return 'Overdue'
  if (left <= DAY) return 'Within 24 hours'
  // Whole days, as `timeLeft` counts them.
  if (left < 4 * DAY) return '1–3 days'
  return left < 8 * DAY ? '4–7 days' : 'Later'
}

/** Whether little time is left, for the colour of a due date. */
export const isUrgent = (dueDate: string | undefined, now: number) =>
  dueDate !== undefined && Date.parse(dueDate) - now <= DAY

import { FACT_NAMES, FACTS, type PointSource } from './fact-catalogue.ts'
import { passesAt, readDate } from './written-dates.ts'

/** Names of data points with a date. The due date is none of them, because no sentence depends on it. */
const DATES = FACT_NAMES.filter((fact) => fact !== 'dueDate' && FACTS[fact].kind === 'date').flatMap(
  (fact) => FACTS[fact].names ?? [],
)

/**
 * When the next date of the data passes; null if all have. Until then a sentence may say that something is still to come, and a
 * date on which nothing can have happened yet is left out.
 */
export function nextDateOf(sources: readonly PointSource[], now: Date): Date | null {
  const times = sources
    .flatMap(({ points }) => DATES.flatMap((name) => readDate(points[name]) ?? []))
    .map(passesAt)
    .filter((time) => time > now.getTime())
  return times.length > 0 ? new Date(Math.min(...times)) : null
}

/** Seconds between the attempts of a delivery; after the tenth it has failed. Standard Webhooks' schedule: 75.6 hours. */
const PAUSES = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
export const ATTEMPTS = PAUSES.length + 1
const DAY_SECONDS = 86_400
/** Attempts that a receiver failed in a row before it counts as failing. */
export const FAILING_AFTER = 5
const FIRST_PROBE_SECONDS = 5
const LONGEST_PROBE_SECONDS = 3_600

/**
 * Seconds until the next attempt of a delivery that an HTTP response refused.
 * @param attempts made so far, from 1 on
 * @param retryAfter seconds that the receiver asked for, obeyed up to a day
 * @returns null after the last attempt
 */
export function nextAttemptSeconds(
  attempts: number,
  retryAfter: number | null,
  random: () => number = Math.random,
): number | null {
  const pause = PAUSES[attempts - 1]
  if (pause === undefined) return null
  return Math.max(pause * (1 + random() / 5), Math.min(retryAfter ?? 0, DAY_SECONDS))
}

/** Seconds until a failing endpoint is tried again: 5 s, doubled by each failure, at most an hour. */
export const probeSeconds = (failures: number, random: () => number = Math.random): number =>
  Math.min(FIRST_PROBE_SECONDS * 2 ** Math.min(Math.max(failures - 1, 0), 20), LONGEST_PROBE_SECONDS) *
  (1 + random() / 5)

/** Seconds of a `Retry-After` header, as a number or a date; null when it has neither. */
export function retryAfterSeconds(header: string | undefined, now: Date): number | null {
  if (header === undefined) return null
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  // `Date.parse` reads almost anything as a date, -5 too.
  const at = /^[A-Z][a-z]+, /.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, (at - now.getTime()) / 1000)
}

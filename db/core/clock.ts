/** Differences up to this count as none. */
const TOLERANCE_MS = 1_000
/** A comparison with a longer round trip is too inexact, unless it is the first. */
const SLOWEST_MS = 1_000
const COMPARE_EVERY_MS = 10_000

interface Queryable {
  query(text: string): Promise<{ rows: { at: Date }[] }>
}

interface ClockLog {
  warn(fields: object, message: string): void
}

/**
 * The time of the service is Postgres' time. Leases, outbox and pauses use it, so due dates, tokens and the age of
 * notifications do too. A process whose own clock differs applies the difference and logs it.
 */
export interface Clock {
  now(): Date
  /**
   * Seconds that this process' clock is ahead of the database's, negative when behind; null before the first
   * comparison.
   */
  ahead(): number | null
  /** A warning while the two differ by more than a second. */
  problem(): string | null
  /** Compares over one connection, or the pool. @throws when the database does not respond */
  compare(database: Queryable): Promise<void>
  /** Compares every ten seconds until disposed. */
  follow(database: Queryable): Disposable
}

export function createClock(log: ClockLog, own: () => number = Date.now): Clock {
  let difference: number | null = null
  // True while the difference exceeds what the round trip can explain.
  let wrong = false
  let told = 0
  const clock: Clock = {
    now: () => new Date(own() - (wrong ? (difference ?? 0) : 0)),
    ahead: () => (difference === null ? null : difference / 1_000),
    problem: () =>
      wrong
        ? `this machine's clock is ${offsetInWords(difference ?? 0)} the database's, whose time is used; set it right`
        : null,
    async compare(database) {
      const [began, asked] = [performance.now(), own()]
      const { rows } = await database.query('select clock_timestamp() as at')
      const took = performance.now() - began
      const at = rows[0]?.at.getTime()
      if (at === undefined || (took > SLOWEST_MS && difference !== null)) return
      difference = asked + took / 2 - at
      wrong = Math.abs(difference) > TOLERANCE_MS + took / 2
      const seconds = wrong ? Math.round(difference / 1_000) : 0
      if ((seconds === 0) === (told === 0) && Math.abs(seconds - told) <= 1) return
      told = seconds
      log.warn({ reason: clock.problem() ?? 'none any more' }, "this machine's clock and the database's differ")
    },
    follow(database) {
      const timer = setInterval(() => clock.compare(database).catch(() => undefined), COMPARE_EVERY_MS)
      timer.unref()
      return { [Symbol.dispose]: () => clearInterval(timer) }
    },
  }
  return clock
}

const offsetInWords = (difference: number) =>
  `${Math.round(Math.abs(difference) / 1_000)} s ${difference > 0 ? 'ahead of' : 'behind'}`

import { setTimeout as pause } from 'node:timers/promises'

/**
 * Waits for a condition, looking every 50 ms. Returns what it answered.
 * @throws an Error that names it and shows the last answer when it never holds
 */
export async function until<T>(
  what: string,
  condition: () => Promise<T> | T,
  options: { timeoutMs?: number; holds?: (value: T) => boolean } = {},
): Promise<T> {
  const holds = options.holds ?? Boolean
  let last: unknown
  for (const end = Date.now() + (options.timeoutMs ?? 60_000); Date.now() < end; await pause(50)) {
    try {
      const value = await condition()
      last = value
      if (holds(value)) return value
    } catch (error) {
      last = error instanceof Error ? withCauses(error) : error
    }
  }
  throw new Error(
    `it never came true that ${what}; last seen: ${JSON.stringify(last, (_, v) => (typeof v === 'bigint' ? String(v) : v))}`,
  )
}

/** What Temporal's client throws names neither code nor reason, only its cause does. */
function withCauses(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${withCauses(error.cause)}` : error.message
}

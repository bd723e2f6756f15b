import { setTimeout as pause } from 'node:timers/promises'

/**
 * Checks a condition every 50 ms until it holds, and returns its value.
 * @throws an Error with its name and last value if it never holds
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

/** Errors of Temporal's client have code and reason only in their cause. */
function withCauses(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${withCauses(error.cause)}` : error.message
}

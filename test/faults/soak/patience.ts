import { setTimeout as pause } from 'node:timers/promises'

/** Between two looks of a client, ms. */
const LOOK_MS = 1_500
/** What is not there, or has not ended, after this time is stuck: a strike every ten seconds takes its toll. */
const STUCK_MS = 180_000

/** Looks until there is something, whatever is broken meanwhile. @throws the sentence when there never is */
export async function patiently<T>(sentence: string, look: () => Promise<T | null>): Promise<T> {
  for (const end = Date.now() + STUCK_MS; Date.now() < end; await pause(LOOK_MS)) {
    const found = await look().catch(() => null)
    if (found !== null) return found
  }
  throw new Error(`${sentence}, after ${STUCK_MS / 1_000} s`)
}

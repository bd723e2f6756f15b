import { setTimeout as pause } from 'node:timers/promises'

/** Between two looks of a client, ms. */
const LOOK_MS = 1_500
/** What is not there, or has not ended, after this time is stuck: a strike every ten seconds takes its toll. */
const STUCK_MS = 180_000

/** Waits for what is under way. @throws the sentence when it takes too long */
export async function inTime(sentence: string, underWay: Promise<void>): Promise<void> {
  const over = new AbortController()
  const late = pause(STUCK_MS, true, { signal: over.signal }).catch(() => false)
  try {
    if (await Promise.race([underWay.then(() => false), late]))
      throw new Error(`${sentence}, after ${STUCK_MS / 1_000} s`)
  } finally {
    over.abort()
  }
}

/** Looks until there is something, whatever is broken meanwhile. @throws the sentence when there never is */
export async function patiently<T>(sentence: string, look: () => Promise<T | null>): Promise<T> {
  for (const end = Date.now() + STUCK_MS; Date.now() < end; await pause(LOOK_MS)) {
    const found = await look().catch(() => null)
    if (found !== null) return found
  }
  throw new Error(`${sentence}, after ${STUCK_MS / 1_000} s`)
}

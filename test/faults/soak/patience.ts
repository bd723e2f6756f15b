import { setTimeout as pause } from 'node:timers/promises'

/** ms between two reads of a client. */
const READ_MS = 1_500
/** After this time a wait counts as stuck. It is long, because a fault every ten seconds slows everything down. */
const STUCK_MS = 180_000

/** Waits for `running`. @throws the sentence if it takes too long */
export async function inTime(sentence: string, running: Promise<void>): Promise<void> {
  const over = new AbortController()
  const late = pause(STUCK_MS, true, { signal: over.signal }).catch(() => false)
  try {
    if (await Promise.race([running.then(() => false), late]))
      throw new Error(`${sentence}, after ${STUCK_MS / 1_000} s`)
  } finally {
    over.abort()
  }
}

/** Reads until there is a result; errors are ignored. @throws the sentence if there is none in time */
export async function patiently<T>(sentence: string, read: () => Promise<T | null>): Promise<T> {
  for (const end = Date.now() + STUCK_MS; Date.now() < end; await pause(READ_MS)) {
    const found = await read().catch(() => null)
    if (found !== null) return found
  }
  throw new Error(`${sentence}, after ${STUCK_MS / 1_000} s`)
}

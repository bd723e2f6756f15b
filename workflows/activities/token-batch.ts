import type { Bucket } from '../../db/core/rate-bucket.ts'
import type { TokenStore } from './token-store.ts'

/** Most tokens that one poll holds. */
const MOST = 8
/** Tokens are not kept longer: meanwhile the PSP may have asked everybody to pause. */
const KEEP_MS = 1_000

/** Tokens for the requests of one poll: one round trip takes several, as long as the bucket has enough. */
export interface TokenBatch {
  /** @returns milliseconds to wait before the request, 0 = now */
  take(): Promise<number>
  /** The PSP limits the rate: what is held is worth nothing. */
  discard(): void
  /** Returns what was not used. */
  close(): Promise<void>
}

export function openTokenBatch(bucket: Bucket, store: TokenStore): TokenBatch {
  let held = 0
  let takenAt = 0
  // A poll of one page takes one token and returns none.
  let next = 1
  const most = Math.max(1, Math.min(MOST, Math.floor(bucket.perSecond), Math.floor(bucket.burst / 2)))
  const removeHeld = () => {
    const removed = held
    held = 0
    return removed
  }
  return {
    async take() {
      if (held > 0 && Date.now() - takenAt < KEEP_MS) {
        held--
        return 0
      }
      const wanted = next
      next = Math.min(most, next * 2)
      const { tokens, waitMs } = await store.take({ bucket, most: wanted, returned: removeHeld() })
      held += tokens - 1
      takenAt = Date.now()
      return waitMs
    },
    discard: () => void removeHeld(),
    async close() {
      const unused = removeHeld()
      if (unused > 0) await store.giveBack(bucket, unused)
    },
  }
}

import type { Database } from '../../db/core/connect.ts'
import { type Ask, type Bucket, returnTokens, type Taken, takeTokens } from '../../db/core/rate-bucket.ts'

/** The most buckets of one statement. */
const MOST = 100

/** Tokens for all polls of this process. */
export interface TokenStore {
  /** Requests that arrive while a statement is running are sent together in the next one. */
  take(ask: Ask): Promise<Taken>
  giveBack(bucket: Bucket, tokens: number): Promise<void>
}

interface Waiting {
  ask: Ask
  answer(taken: Taken): void
  fail(error: unknown): void
}

export function openTokenStore(db: Database, takeAll: typeof takeTokens = takeTokens): TokenStore {
  let waiting: Waiting[] = []
  let atWork = false

  /** The requests that have waited longest, at most one for each bucket. */
  function nextBatch(): Map<string, Waiting> {
    const batch = new Map<string, Waiting>()
    const left: Waiting[] = []
    for (const one of waiting) {
      const { key } = one.ask.bucket
      if (batch.size === MOST || batch.has(key)) left.push(one)
      else batch.set(key, one)
    }
    waiting = left
    return batch
  }

  async function answerAll(): Promise<void> {
    atWork = true
    while (waiting.length > 0) {
      const batch = nextBatch()
      try {
        const taken = await takeAll(
          db,
          [...batch.values()].map(({ ask }) => ask),
        )
        for (const [key, one] of batch) one.answer(taken.get(key) as Taken)
      } catch (error) {
        for (const one of batch.values()) one.fail(error)
      }
    }
    atWork = false
  }

  return {
    take: (ask) =>
      new Promise((answer, fail) => {
        waiting.push({ ask, answer, fail })
        if (!atWork) void answerAll()
      }),
    giveBack: (bucket, tokens) => returnTokens(db, bucket, tokens),
  }
}

const stores = new WeakMap<Database, TokenStore>()

/** The store of the process that has this pool of connections. */
export function tokenStoreOf(db: Database): TokenStore {
  const store = stores.get(db) ?? openTokenStore(db)
  stores.set(db, store)
  return store
}

import { sql } from 'kysely'
import type { Database } from './connect.ts'

/** Token bucket for requests to one PSP account, shared by all processes. */
export interface Bucket {
  /** `{source}:{account}`, or the integration's id while its account is not confirmed. */
  key: string
  perSecond: number
  burst: number
}

/** Tokens that polls leave to commands. */
const COMMAND_RESERVE = 2

/**
 * Takes a token, into debt if necessary, and returns the wait before the call. Later callers wait longer. A poll also
 * waits until the reserve is refilled, so that commands overtake it. One statement.
 * @returns milliseconds, 0 = now
 */
export async function takeToken(db: Database, bucket: Bucket, priority: 'command' | 'poll'): Promise<number> {
  const reserve = priority === 'command' ? 0 : Math.min(COMMAND_RESERVE, bucket.burst - 1)
  const { rows } = await sql<{ wait: number }>`
    insert into rate_bucket as b (bucket, tokens, refilled_at)
    values (${bucket.key}, ${bucket.burst}::float8 - 1, clock_timestamp())
    on conflict (bucket) do update set
      tokens = least(${bucket.burst}::float8,
        b.tokens + extract(epoch from clock_timestamp() - b.refilled_at) * ${bucket.perSecond}::float8) - 1,
      refilled_at = clock_timestamp()
    returning greatest(
      (${reserve}::float8 - tokens) / ${bucket.perSecond}::float8,
      extract(epoch from coalesce(blocked_until, clock_timestamp()) - clock_timestamp()), 0)::float8 * 1000 as wait`.execute(
    db,
  )
  return Math.ceil(rows[0]?.wait ?? 0)
}

/** Blocks calls to this account until the time that the PSP gave in `Retry-After`. */
export async function blockBucket(db: Database, bucket: Bucket, forMs: number): Promise<void> {
  await sql`
    insert into rate_bucket as b (bucket, tokens, blocked_until)
    values (${bucket.key}, 0, clock_timestamp() + make_interval(secs => ${forMs / 1000}))
    on conflict (bucket) do update set tokens = 0, refilled_at = clock_timestamp(),
      blocked_until = greatest(b.blocked_until, excluded.blocked_until)`.execute(db)
}

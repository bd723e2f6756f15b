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

/**
 * Takes `most` tokens for a poll if the bucket has that many beyond the reserve for commands and is not blocked, otherwise
 * one, as `takeToken` does. `returned` unused tokens go back first. One statement.
 */
export async function takeTokens(
  db: Database,
  { key, perSecond, burst }: Bucket,
  most: number,
  returned: number,
): Promise<{ tokens: number; waitMs: number }> {
  const reserve = Math.min(COMMAND_RESERVE, burst - 1)
  const filled = sql`least(${burst}::float8, b.tokens + ${returned}::float8
    + extract(epoch from clock_timestamp() - b.refilled_at) * ${perSecond}::float8)`
  const { rows } = await sql<{ tokens: number; wait: number }>`
    with taken as (
      select case when ${filled} - ${most} >= ${reserve} and coalesce(b.blocked_until <= clock_timestamp(), true)
        then ${most}::int else 1 end as tokens
      from rate_bucket b where b.bucket = ${key} for update
    )
    insert into rate_bucket as b (bucket, tokens, refilled_at) values (${key}, ${burst}::float8 - 1, clock_timestamp())
    on conflict (bucket) do update set tokens = ${filled} - coalesce((select tokens from taken), 1),
      refilled_at = clock_timestamp()
    returning coalesce((select tokens from taken), 1) as tokens, greatest(
      (${reserve}::float8 - b.tokens) / ${perSecond}::float8,
      extract(epoch from coalesce(b.blocked_until, clock_timestamp()) - clock_timestamp()), 0)::float8 * 1000 as wait`.execute(
    db,
  )
  return { tokens: rows[0]?.tokens ?? 1, waitMs: Math.ceil(rows[0]?.wait ?? 0) }
}

/** Gives unused tokens back. */
export async function returnTokens(db: Database, { key, burst }: Bucket, tokens: number): Promise<void> {
  await sql`update rate_bucket set tokens = least(${burst}::float8, tokens + ${tokens}::float8) where bucket = ${key}`.execute(
    db,
  )
}

/** Blocks calls to this account until the time that the PSP gave in `Retry-After`. */
export async function blockBucket(db: Database, bucket: Bucket, forMs: number): Promise<void> {
  await sql`
    insert into rate_bucket as b (bucket, tokens, blocked_until)
    values (${bucket.key}, 0, clock_timestamp() + make_interval(secs => ${forMs / 1000}))
    on conflict (bucket) do update set tokens = 0, refilled_at = clock_timestamp(),
      blocked_until = greatest(b.blocked_until, excluded.blocked_until)`.execute(db)
}

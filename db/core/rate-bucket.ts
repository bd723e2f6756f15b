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

/** What a poll asks of the bucket of its account. */
export interface Ask {
  bucket: Bucket
  /** The most tokens that it can use. */
  most: number
  /** Unused tokens that are put back before. */
  returned: number
}

export interface Taken {
  tokens: number
  /** Wait before the first token may be used, ms; 0 = none. */
  waitMs: number
}

/**
 * Takes `most` tokens for a poll if the bucket has that many beyond the reserve for commands and is not blocked, otherwise
 * one, as `takeToken` does. One statement for the polls of many accounts.
 * @param asks at most one for each bucket
 * @returns by the keys of the buckets
 */
export async function takeTokens(db: Database, asks: readonly Ask[]): Promise<Map<string, Taken>> {
  // Two processes lock the buckets in the same order.
  const ordered = [...asks].sort((a, b) => (a.bucket.key < b.bucket.key ? -1 : 1))
  const column = <Value>(of: (ask: Ask) => Value) => ordered.map(of)
  const { rows } = await sql<{ bucket: string; tokens: number; wait: number }>`
    with asked as materialized (
      select a.*, least(${COMMAND_RESERVE}::float8, a.burst - 1) as reserve
      from unnest(${column(({ bucket }) => bucket.key)}::text[], ${column(({ bucket }) => bucket.perSecond)}::float8[],
        ${column(({ bucket }) => bucket.burst)}::float8[], ${column(({ most }) => most)}::int[],
        ${column(({ returned }) => returned)}::float8[]) as a(bucket, per_second, burst, most, returned)
    ), held as materialized (
      select a.bucket, b.blocked_until, least(a.burst, b.tokens + a.returned
        + extract(epoch from clock_timestamp() - b.refilled_at) * a.per_second) as filled
      from asked a cross join lateral (select * from rate_bucket where bucket = a.bucket for update) b
    ), taken as materialized (
      select a.*, held.filled, case when held.filled - a.most >= a.reserve
        and coalesce(held.blocked_until <= clock_timestamp(), true) then a.most else 1 end as tokens
      from asked a left join held using (bucket)
    ), stored as (
      insert into rate_bucket as b (bucket, tokens, refilled_at)
      select bucket, coalesce(filled, burst) - tokens, clock_timestamp() from taken order by bucket
      on conflict (bucket) do update set refilled_at = clock_timestamp(),
        tokens = case when exists (select from held where held.bucket = b.bucket) then excluded.tokens else b.tokens - 1 end
      returning b.bucket, b.tokens as remaining, b.blocked_until
    )
    select bucket, taken.tokens, greatest((reserve - remaining) / per_second,
      extract(epoch from coalesce(blocked_until, clock_timestamp()) - clock_timestamp()), 0)::float8 * 1000 as wait
    from stored join taken using (bucket)`.execute(db)
  return new Map(rows.map(({ bucket, tokens, wait }) => [bucket, { tokens, waitMs: Math.ceil(wait) }]))
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

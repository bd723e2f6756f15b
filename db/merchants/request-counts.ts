import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'

/** A caller's position in its rate limit window. */
export interface WindowState {
  consumedPoints: number
  msBeforeNext: number
}

/**
 * Counts a request in the caller's window of `windowMs`, which its first request opened, by Postgres' clock, for all
 * processes. A window that ends later than a new one would was opened before the clock was set back, and is replaced.
 */
export async function countRequest(db: Database, key: string, windowMs: number): Promise<WindowState> {
  const over = sql`c.expire <= excluded.expire - ${windowMs}::int8 or c.expire > excluded.expire + ${windowMs}::int8`
  const { rows } = await sql<WindowState>`
    with t as materialized (select floor(extract(epoch from clock_timestamp()) * 1000)::int8 as now)
    insert into request_count as c (key, points, expire) select ${key}, 1, now + ${windowMs}::int8 from t
    on conflict (key) do update set
      points = case when ${over} then 1 else c.points + 1 end,
      expire = case when ${over} then excluded.expire else c.expire end
    returning points as "consumedPoints", (expire - (select now from t))::float8 as "msBeforeNext"`.execute(db)
  return rows[0] as WindowState
}

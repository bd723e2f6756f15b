import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'
import { inScope } from '../core/scope.ts'
import { PREPARED_FOR_SYSTEM } from '../core/scoped-query.ts'

/** A caller's position in its rate limit window. */
export interface WindowState {
  consumedPoints: number
  msBeforeNext: number
}

/**
 * Counts requests in the callers' windows of `windowMs`, which the first request of each opened, by Postgres' clock, for all
 * processes. A window that ends later than a new one would was opened before the clock was set back, and is replaced. In
 * the order of the keys, so that two processes can't wait for each other.
 * @param requests how many of each key
 * @returns the state after all of them
 */
export async function countRequests(
  db: Database,
  requests: ReadonlyMap<string, number>,
  windowMs: number,
): Promise<Map<string, WindowState>> {
  const over = sql`c.expire <= excluded.expire - ${windowMs}::int8 or c.expire > excluded.expire + ${windowMs}::int8`
  const { rows } = await inScope('system', () =>
    sql<WindowState & { key: string }>`
      with t as materialized (select floor(extract(epoch from clock_timestamp()) * 1000)::int8 as now)
      insert into request_count as c (key, points, expire)
      select asked.key, asked.points, now + ${windowMs}::int8
      from t, unnest(${[...requests.keys()]}::text[], ${[...requests.values()]}::int[]) as asked(key, points) order by asked.key
      on conflict (key) do update set
        points = case when ${over} then excluded.points else c.points + excluded.points end,
        expire = case when ${over} then excluded.expire else c.expire end
      returning key, points as "consumedPoints", (expire - (select now from t))::float8 as "msBeforeNext"
      ${PREPARED_FOR_SYSTEM}`.execute(db),
  )
  return new Map(rows.map(({ key, ...state }) => [key, state]))
}

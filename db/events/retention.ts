import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'

/**
 * Deletes the oldest events, as far as they are older than so many days, and reports to the metrics of the sweeps. The
 * log begins behind the last one that was deleted.
 * @returns rows deleted
 */
export async function expireEvents(db: Database, { days, limit }: { days: number; limit: number }): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    with old as (
      select max(position) as position from (select position, occurred_at from event order by position limit ${limit}) e
      where occurred_at < now() - make_interval(days => ${days})
    ), gone as (
      delete from event where position <= (select position from old) returning position
    ), begun as (
      update event_state set expired_position = old.position from old where old.position > expired_position
    ), counted as (
      insert into retention_sweep as r (kind, deleted, oldest_at, passed_at)
      select 'event', count(*), (select occurred_at from event
        where position > coalesce((select position from old), 0) order by position limit 1), now()
      from gone
      on conflict (kind) do update set deleted = r.deleted + excluded.deleted, oldest_at = excluded.oldest_at,
        passed_at = excluded.passed_at
    )
    select count(*)::int as deleted from gone`.execute(db)
  return rows[0]?.deleted ?? 0
}

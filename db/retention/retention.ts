import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'
import { forgetExpiredKeys } from '../merchants/idempotency-keys.ts'
import { type InboxSource, RETAINED, type Retained } from './retained.ts'

/**
 * One step of each sweep: checks the next rows of each table, deletes unneeded rows past their account's retention
 * period, and stores its position. After the last row a new pass begins.
 * @param inboxes integrations whose notifications are the only source of their disputes
 * @returns rows deleted
 */
export async function expireRows(db: Database, inboxes: readonly InboxSource[], limit: number): Promise<number> {
  let deleted = 0
  for (const [kind, step] of Object.entries(RETAINED)) deleted += await advance(db, kind, step, inboxes, limit)
  const keys = await forgetExpiredKeys(db, limit * 4)
  await sql`
    insert into retention_sweep as r (kind, deleted, oldest_at, passed_at)
    values ('idempotency_key', ${keys},
      (select created_at from idempotency_key order by expires_at limit 1), now())
    on conflict (kind) do update set deleted = r.deleted + excluded.deleted, oldest_at = excluded.oldest_at,
      passed_at = excluded.passed_at`.execute(db)
  return deleted + keys
}

function advance(
  db: Database,
  kind: string,
  step: Retained,
  inboxes: readonly InboxSource[],
  limit: number,
): Promise<number> {
  return db.transaction().execute(async (trx) => {
    await sql`insert into retention_sweep (kind) values (${kind}) on conflict do nothing`.execute(trx)
    // Skip if another worker runs the sweep: one is enough.
    const { rows } = await sql<{ position: string | null }>`
      select position from retention_sweep where kind = ${kind} for update skip locked`.execute(trx)
    if (!rows[0]) return 0
    const { last, deleted, oldestAt } = await step(trx, { after: rows[0].position, limit, inboxes })
    await sql`
      update retention_sweep set position = ${last}, deleted = deleted + ${deleted},
        pass_oldest_at = case when ${last}::text is null then null else least(pass_oldest_at, ${oldestAt}::timestamptz) end,
        oldest_at = case when ${last}::text is null then pass_oldest_at else oldest_at end,
        passed_at = case when ${last}::text is null then now() else passed_at end
      where kind = ${kind}`.execute(trx)
    return deleted
  })
}

export interface SweepState {
  kind: string
  deleted: number
  /** Age of the oldest row that the last complete pass kept, seconds; null when there was none. */
  oldestSeconds: number | null
  /** Seconds since the last complete pass; null before the first. */
  passedSeconds: number | null
}

/** Progress of the sweeps, for metrics. */
export async function sweepStates(db: Database): Promise<SweepState[]> {
  const { rows } = await sql<SweepState>`
    select kind, deleted::float8 as deleted, extract(epoch from now() - oldest_at)::float8 as "oldestSeconds",
      extract(epoch from now() - passed_at)::float8 as "passedSeconds" from retention_sweep`.execute(db)
  return rows
}

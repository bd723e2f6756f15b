import { sql } from 'kysely'
import type { JsonValue } from '../schema.ts'
import type { Database } from './connect.ts'

/** Work for Temporal, written in the transaction of the change that requests it. */
export interface OutboxRow {
  outboxId: bigint
  kind: string
  payload: Record<string, string>
  attempts: number
}

/** Seconds that a claimed row is hidden from other relays; longer than any dispatch. */
const CLAIM_SECONDS = 15

/** Adds a message. Call it in the command's transaction; a trigger wakes the relays at commit. */
export async function enqueue(
  db: Database,
  message: { kind: string; payload: Record<string, string> },
): Promise<bigint> {
  const row = await db
    .insertInto('outbox')
    .values({ kind: message.kind, payload: message.payload as JsonValue })
    .returning('outbox_id')
    .executeTakeFirstOrThrow()
  return row.outbox_id
}

/**
 * Requests a poll, unless an operator has paused the integration. An unclaimed message for the same integration is
 * reused and locked until this transaction commits, so that its poll sees the changes made here. Call it in a
 * transaction that holds the integration's row.
 */
export async function enqueuePoll(db: Database, integrationId: string): Promise<void> {
  await sql`
    with waiting as (
      update outbox set kind = kind
      where kind = 'poll_now' and payload ->> 'integrationId' = ${integrationId}::text
        and (attempts = 0 or last_error is not null)
      returning outbox_id
    )
    insert into outbox (kind, payload)
    select 'poll_now', jsonb_build_object('integrationId', ${integrationId}::text)
    where not exists (select from waiting)
      and not exists (select from integration where integration_id = ${integrationId} and paused)`.execute(db)
}

/** Claims due messages, or one by id, and hides them from other relays while they are dispatched. */
export async function claim(db: Database, which: { limit: number } | { outboxId: bigint }): Promise<OutboxRow[]> {
  const one = 'outboxId' in which ? which.outboxId : null
  const limit = 'limit' in which ? which.limit : 1
  const { rows } = await sql<OutboxRow>`
    update outbox set attempts = attempts + 1, last_error = null,
      next_attempt_at = now() + make_interval(secs => ${CLAIM_SECONDS})
    where outbox_id in (
      select outbox_id from outbox
      where next_attempt_at <= now() and (${one}::bigint is null or outbox_id = ${one})
      order by outbox_id limit ${limit} for update skip locked)
    returning outbox_id as "outboxId", kind, payload, attempts`.execute(db)
  return rows.sort((a, b) => (a.outboxId < b.outboxId ? -1 : 1))
}

export async function removeMessage(db: Database, outboxId: bigint): Promise<void> {
  await db.deleteFrom('outbox').where('outbox_id', '=', outboxId).execute()
}

/**
 * Returns a message to the queue after 1 s, 2 s, 4 s … up to a minute. `reason` is a kind of error, never a library's
 * message.
 */
export async function postpone(db: Database, row: OutboxRow, reason: string): Promise<void> {
  const seconds = Math.min(60, 2 ** Math.min(row.attempts - 1, 6))
  await db
    .updateTable('outbox')
    .set({ last_error: reason, next_attempt_at: sql`now() + make_interval(secs => ${seconds})` })
    .where('outbox_id', '=', row.outboxId)
    .execute()
}

/** Age of the oldest message in seconds, 0 when there is none. */
export async function outboxLag(db: Database): Promise<number> {
  const { rows } = await sql<{ lag: number }>`
    select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as lag from outbox`.execute(db)
  return rows[0]?.lag ?? 0
}

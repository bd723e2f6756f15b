import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'
import { inTransaction } from '../core/transaction.ts'
import { recordAction } from '../merchants/operator-actions.ts'
import { DUE_CHANNEL } from './due.ts'
import { currentSlot, nextSlot, type Rhythm } from './slots.ts'

/** Whom a pause is by that was made in the Temporal UI. */
const IN_THE_UI = 'the Temporal UI'

/**
 * Shards poll these integrations from now on, or all that have no schedule: at once those whose current slot was not
 * polled, and nobody polls now; the others at their next slot. Their schedules are deleted before.
 * @returns how many were not polled by shards before, at most `limit`
 */
export async function enterDispatch(
  db: Database,
  which: { integrationIds: readonly string[] } | { limit: number },
  rhythm: Rhythm,
): Promise<number> {
  const chosen =
    'limit' in which
      ? sql`select integration_id from integration where next_poll_at is null and verified_at is not null
          and status <> 'INACTIVE' limit ${which.limit} for update skip locked`
      : sql`select integration_id from integration where integration_id = any(${[...which.integrationIds]}::uuid[])
          order by integration_id for no key update`
  const { rows } = await sql`
    with chosen as materialized (${chosen}), entered as (
      update integration i set poll_failures = 0, next_poll_at =
        case when i.lease_until > now() or i.polled_at >= ${currentSlot(rhythm)} then ${nextSlot(rhythm)} else now() end
      from chosen where i.integration_id = chosen.integration_id
        and i.next_poll_at is null and i.verified_at is not null and i.status <> 'INACTIVE'
      returning i.integration_id
    )
    select integration_id, pg_notify(${DUE_CHANNEL}, '') from entered`.execute(db)
  return rows.length
}

/**
 * Shards poll it no more; a poll that is at work completes.
 * @returns null when they did not poll it, else whether a poll was due that nobody had begun
 */
export async function leaveDispatch(db: Database, integrationId: string): Promise<{ due: boolean } | null> {
  const { rows } = await sql<{ due: boolean }>`
    with before as (
      select integration_id, next_poll_at, lease_until from integration
      where integration_id = ${integrationId} and next_poll_at is not null for update
    )
    update integration i set next_poll_at = null, poll_workflow = null, poll_failures = 0 from before
    where i.integration_id = before.integration_id
    returning before.next_poll_at <= now() and coalesce(before.lease_until < now(), true) as due`.execute(db)
  return rows[0] ?? null
}

/**
 * A pause that somebody made in the Temporal UI becomes the row's, before its schedule is deleted. What they noted there
 * goes to the audit trail: merchants read the reason of a pause.
 */
export async function keepPause(db: Database, integrationId: string, note: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    const kept = await trx
      .updateTable('integration')
      .set({
        paused: true,
        pause_changed_at: sql`now()`,
        pause_changed_by: IN_THE_UI,
        pause_reason: 'Its schedule was paused in the Temporal UI.',
      })
      .where('integration_id', '=', integrationId)
      .where('paused', '=', false)
      .where('status', '<>', 'INACTIVE')
      .returning('integration_id')
      .execute()
    if (kept.length === 0) return
    await recordAction(trx, {
      operator: IN_THE_UI,
      action: 'integration pause',
      outcome: 'done',
      subject: integrationId,
      reason: note.slice(0, 500) || null,
      details: { schedule: 'deleted for dispatch' },
    })
  })
}

/** What the choice of a mode depends on. */
export interface PolledIntegrations {
  /** Verified once, and not INACTIVE. */
  count: number
  /** Of which shards poll some. */
  dispatched: boolean
}

export async function countPolled(db: Database): Promise<PolledIntegrations> {
  const { rows } = await sql<PolledIntegrations>`
    select count(*)::int as count, coalesce(bool_or(next_poll_at is not null), false) as dispatched
    from integration where verified_at is not null and status <> 'INACTIVE'`.execute(db)
  return rows[0] ?? { count: 0, dispatched: false }
}

import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'

/** Disputes to read one by one: those that a notification named, and those that are due. */

export interface RequestedReread {
  reference: string
  /** Increases with each request; a read completes only the request that it was made for. */
  askedAt: string
  attempts: number
}

/** Retry after 1 min, 2 min, 4 min … up to an hour, so that an unreadable dispute does not delay the others. */
const LONGEST_PAUSE_MINUTES = 60

/** Requests a read of these disputes by the next poll, also after earlier failed reads. */
export async function requestReread(db: Database, integrationId: string, references: string[]): Promise<void> {
  await sql`
    insert into reread (integration_id, reference)
    select ${integrationId}, reference from unnest(${[...new Set(references)]}::text[]) as r(reference)
    on conflict (integration_id, reference) do update
      set asked_at = clock_timestamp(), attempts = 0, next_attempt_at = now()`.execute(db)
}

/** Named by notifications and not read since, longest waiting first. */
export async function requestedRereads(db: Database, integrationId: string, limit: number): Promise<RequestedReread[]> {
  const { rows } = await sql<RequestedReread>`
    select reference, asked_at::text as "askedAt", attempts from reread
    where integration_id = ${integrationId} and next_attempt_at <= now()
    order by asked_at limit ${limit}`.execute(db)
  return rows
}

/** Completes the requests, except those that were repeated meanwhile. */
export async function completeRereads(db: Database, integrationId: string, done: RequestedReread[]): Promise<void> {
  if (done.length === 0) return
  await sql`
    delete from reread using unnest(${done.map((one) => one.reference)}::text[],
      ${done.map((one) => one.askedAt)}::timestamptz[]) as d(reference, asked_at)
    where reread.integration_id = ${integrationId} and reread.reference = d.reference
      and reread.asked_at = d.asked_at`.execute(db)
}

export async function postponeRereads(db: Database, integrationId: string, references: string[]): Promise<void> {
  if (references.length === 0) return
  await sql`
    update reread set attempts = attempts + 1,
      next_attempt_at = now() + make_interval(mins => least(${LONGEST_PAUSE_MINUTES}, power(2, least(attempts, 6)))::int)
    where integration_id = ${integrationId} and reference = any(${references}::text[])`.execute(db)
}

/** References of chargebacks that are due to be read again, longest overdue first. */
export async function dueRereads(db: Database, integrationId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('chargeback')
    .select('chargeback_id')
    .where('integration_id', '=', integrationId)
    .where('reread_after', '<=', sql<Date>`now()`)
    .orderBy('reread_after')
    .limit(limit)
    .execute()
  return rows.map((row) => row.chargeback_id)
}

/**
 * Postpones the due ones that could not be read: by an hour, or by a week when the PSP did not know them. One without a
 * change for half a year is not read any more.
 */
export async function postponeDue(
  db: Database,
  integrationId: string,
  references: string[],
  missing: string[],
): Promise<void> {
  if (references.length === 0) return
  await sql`
    update chargeback c set reread_after = case
      when c.chargeback_id <> all(${missing}::text[]) then now() + interval '1 hour'
      when coalesce(c.psp_status_change_date, c.created_at) > now() - interval '180 days'
        then now() + interval '7 days' end
    from (
      select id from chargeback where integration_id = ${integrationId} and chargeback_id = any(${references}::text[])
        and coalesce(reread_after <= now(), false)
      order by id for no key update
    ) due where c.id = due.id`.execute(db)
}

/**
 * Records that the PSP does not know these references. Known chargebacks get one timeline row; the others go to
 * quarantine, so that operators see references that were never found.
 */
export async function noteMissing(
  db: Database,
  integrationId: string,
  missing: { reference: string; hash: Buffer; sealed: string }[],
  words: { source: string; what: string; reason: string },
): Promise<void> {
  if (missing.length === 0) return
  await sql`
    with missing as (
      select * from unnest(${missing.map((one) => one.reference)}::text[], ${missing.map((one) => one.hash)}::bytea[],
        ${missing.map((one) => one.sealed)}::text[]) as m(reference, hash, sealed)
    ), known as (
      select c.id, c.merchant_uuid, c.chargeback_id from chargeback c join missing on missing.reference = c.chargeback_id
      where c.integration_id = ${integrationId}
    ), told as (
      insert into timeline_event (merchant_uuid, chargeback_id, source, what)
      select merchant_uuid, id, ${words.source}, ${words.what} from known
      where not exists (select from timeline_event t where t.chargeback_id = known.id and t.what = ${words.what})
    )
    insert into quarantine as q (integration_id, hash, reference, reason, sealed, translation_version)
    select ${integrationId}, hash, reference, ${words.reason}, sealed, 0 from missing
    where not exists (select from known where known.chargeback_id = missing.reference)
    on conflict (integration_id, hash) do update set last_seen_at = now(), seen = q.seen + 1`.execute(db)
}

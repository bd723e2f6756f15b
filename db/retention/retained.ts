import { type RawBuilder, sql } from 'kysely'
import { DELIVERY_DAYS } from '../../domain/webhooks/endpoint.ts'
import type { Database } from '../core/connect.ts'
import { daysAgo } from '../core/setting.ts'
import { DRY_RUNS_SINCE } from '../evidence/dry-runs.ts'
import { DECIDED, DECIDED_AT, expiredFiles, removeFiles } from '../evidence/file-deletion.ts'
import { expirePackages } from '../packages/expiry.ts'
import { NOTE_TYPE, POSTED_TYPE } from '../polling/notifications.ts'

export interface InboxSource {
  source: string
  secretType: string
}

/** Result of one step of a sweep, in the order of the table's keys. */
export interface Slice {
  /** Key of the last row that was checked; null when there was none. */
  last: string | null
  deleted: number
  /** Time of the oldest row that stays; null when none does. */
  oldestAt: Date | null
}

/** One step over a table, after a given key. */
export type Retained = (
  db: Database,
  step: { after: string | null; limit: number; inboxes: readonly InboxSource[] },
) => Promise<Slice>

/** Small, because a file may have 6 MB and its deletion rewrites as much. */
const FILES = 100
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

const ACCOUNT_OF_INTEGRATION = sql`join integration i on i.integration_id = t.integration_id
  join merchant m on m.merchant_uuid = i.merchant_uuid join account a on a.account_id = m.account_id`

/**
 * Whether the chargeback of a reference still needs the row: it is undecided, was decided after `since`, or has an open
 * command.
 */
const needed = (reference: RawBuilder<unknown>, since: RawBuilder<Date>) => sql<boolean>`
  exists (select from chargeback c where c.integration_id = t.integration_id and c.chargeback_id = ${reference}
    and (not ${DECIDED} or ${DECIDED_AT} >= ${since} or exists (select from command k
      where k.chargeback_id = c.id and k.status in ('created', 'inProgress'))))`
const quarantined = (reference: RawBuilder<unknown>) => sql<boolean>`
  exists (select from quarantine q where q.integration_id = t.integration_id and q.reference = ${reference})`
const known = (reference: RawBuilder<unknown>) => sql<boolean>`
  exists (select from chargeback c where c.integration_id = t.integration_id and c.chargeback_id = ${reference})`

/** The tables that expire, by name. Each is walked in primary key order, so that a step reads only its slice. */
export const RETAINED: Record<string, Retained> = {
  async file(db, { after, limit }) {
    const { rows } = await sql<{ fileId: string; createdAt: Date }>`
      select file_id as "fileId", created_at as "createdAt" from file
      where file_id > ${after ?? FIRST_ID} order by file_id limit ${Math.min(limit, FILES)} for update`.execute(db)
    const gone = await expiredFiles(
      db,
      rows.map((row) => row.fileId),
    )
    if (gone.length > 0) await removeFiles(db, gone)
    const kept = rows.filter((row) => !gone.includes(row.fileId)).map((row) => row.createdAt.getTime())
    const oldestAt = kept.length > 0 ? new Date(Math.min(...kept)) : null
    return { last: rows.at(-1)?.fileId ?? null, deleted: gone.length, oldestAt }
  },

  raw_object: (db, { after, limit }) => {
    const [integrationId, kind, reference] = after === null ? [FIRST_ID, '', ''] : (JSON.parse(after) as string[])
    const since = daysAgo('a', 'rawObjectDays')
    return slice(db, {
      rows: sql`select integration_id, kind, reference, fetched_at as at,
          json_build_array(integration_id, kind, reference)::text as key
        from raw_object where (integration_id, kind, reference) > (${integrationId}::uuid, ${kind}, ${reference})
        order by integration_id, kind, reference limit ${limit}`,
      order: sql`integration_id, kind, reference`,
      judged: sql`${ACCOUNT_OF_INTEGRATION}`,
      expired: sql`t.at < ${since} and ${known(sql`t.reference`)} and not ${needed(sql`t.reference`, since)}
        and not ${quarantined(sql`t.reference`)}`,
      // A row that was fetched again meanwhile stays.
      gone: sql`delete from raw_object r using judged j where j.expired and r.integration_id = j.integration_id
        and r.kind = j.kind and r.reference = j.reference and r.fetched_at = j.at returning 1`,
    })
  },

  notification: (db, { after, limit, inboxes }) => {
    const decided = daysAgo('a', 'rawObjectDays')
    const pairs = inboxes.map(({ source, secretType }) => `${source} ${secretType}`)
    return slice(db, {
      rows: sql`select position, integration_id, type, "references", received_at as at, position::text as key
        from notification where position > ${after ?? '-1'}::bigint order by position limit ${limit}`,
      order: sql`position`,
      judged: sql`${ACCOUNT_OF_INTEGRATION}`,
      expired: sql`
        not exists (select from unnest(t."references") r(reference) cross join lateral (
          select from quarantine q where q.integration_id = t.integration_id and q.reference = r.reference limit 1) q)
        and case when t.type in (${NOTE_TYPE}, ${POSTED_TYPE}) or i.source || ' ' || i.secret_type = any(${pairs}::text[])
          then t.at < ${decided} and cardinality(t."references") > 0 and not exists (
            select from unnest(t."references") r(reference)
            where not ${known(sql`r.reference`)} or ${needed(sql`r.reference`, decided)})
          else t.at < ${daysAgo('a', 'notificationDays')} and not exists (select from reread e
            where e.integration_id = t.integration_id and e.reference = any(t."references")) end`,
      gone: sql`delete from notification n using judged j where j.expired and n.position = j.position returning 1`,
    })
  },

  ingestion: (db, { after, limit }) => {
    const since = daysAgo('a', 'postedDays')
    return slice(db, {
      rows: sql`select ingestion_id, integration_id, reference, about, status, coalesce(processed_at, created_at) as at,
          ingestion_id::text as key
        from ingestion where ingestion_id > ${after ?? FIRST_ID} order by ingestion_id limit ${limit}`,
      order: sql`ingestion_id`,
      judged: sql`${ACCOUNT_OF_INTEGRATION}`,
      expired: sql`t.at < ${since} and t.status <> 'created' and not exists (
        select from unnest(t.about || t.reference) r(reference) where ${needed(sql`r.reference`, since)})`,
      // One whose chargeback came meanwhile has a new time.
      gone: sql`delete from ingestion g using judged j where j.expired and g.ingestion_id = j.ingestion_id
        and coalesce(g.processed_at, g.created_at) = j.at returning 1`,
    })
  },

  async evidence_package(db, { after, limit }) {
    const { rows } = await sql<{ packageId: string; builtAt: Date }>`
      select package_id as "packageId", built_at as "builtAt" from evidence_package
      where package_id > ${after ?? FIRST_ID} order by package_id limit ${Math.min(limit, FILES)} for update`.execute(
      db,
    )
    const deleted = await expirePackages(
      db,
      rows.map((row) => row.packageId),
    )
    // Rows that stay are not told apart: those of submissions stay for ever, without their content.
    return { last: rows.at(-1)?.packageId ?? null, deleted, oldestAt: null }
  },

  evidence_plan: (db, { after, limit }) =>
    slice(db, {
      rows: sql`select plan_id, requested_at as at, plan_id::text as key from evidence_plan
        where plan_id > ${after ?? FIRST_ID} order by plan_id limit ${limit}`,
      order: sql`plan_id`,
      judged: sql``,
      expired: sql`t.at <= ${DRY_RUNS_SINCE}`,
      gone: sql`delete from evidence_plan p using judged j where j.expired and p.plan_id = j.plan_id returning 1`,
    }),

  // A row for each address that ever sent a request; they are small.
  request_count: (db, { after, limit }) =>
    slice(db, {
      rows: sql`select key, expire, to_timestamp(expire / 1000.0) as at from request_count where key > ${after ?? ''}
        order by key limit ${limit}`,
      order: sql`key`,
      judged: sql``,
      // Much longer than any window, whatever the clock did.
      expired: sql`t.at < now() - interval '1 day'`,
      gone: sql`delete from request_count c using judged j where j.expired and c.key = j.key and c.expire = j.expire
        returning 1`,
    }),

  console_session: (db, { after, limit }) =>
    slice(db, {
      rows: sql`select session_hash, ends_at as at, encode(session_hash, 'hex') as key from console_session
        where session_hash > decode(${after ?? ''}, 'hex') order by session_hash limit ${limit}`,
      order: sql`session_hash`,
      judged: sql``,
      expired: sql`t.at < now() - interval '1 day'`,
      gone: sql`delete from console_session s using judged j where j.expired and s.session_hash = j.session_hash
        returning 1`,
    }),

  // A page that is still listed is compared once and stored again.
  list_page: (db, { after, limit }) => {
    const [integrationId, page] = after === null ? [FIRST_ID, ''] : (JSON.parse(after) as string[])
    return slice(db, {
      rows: sql`select integration_id, page_key, stored_at as at, json_build_array(integration_id, page_key)::text as key
        from list_page where (integration_id, page_key) > (${integrationId}::uuid, ${page})
        order by integration_id, page_key limit ${limit}`,
      order: sql`integration_id, page_key`,
      judged: sql``,
      expired: sql`t.at < now() - interval '30 days'`,
      gone: sql`delete from list_page p using judged j where j.expired and p.integration_id = j.integration_id
        and p.page_key = j.page_key and p.stored_at = j.at returning 1`,
    })
  },

  // In the order of their age, so that a step begins at the oldest and ends the pass.
  async webhook_delivery(db, { limit }) {
    const { rows } = await sql<Omit<Slice, 'last'>>`
      with t as materialized (select delivery_id, created_at from webhook_delivery order by delivery_id limit ${limit}),
      gone as (delete from webhook_delivery d using t where d.delivery_id = t.delivery_id
        and t.created_at < now() - make_interval(days => ${DELIVERY_DAYS}) returning 1)
      select (select count(*)::int from gone) as deleted,
        (select min(created_at) from t where created_at >= now() - make_interval(days => ${DELIVERY_DAYS})) as "oldestAt"`.execute(
      db,
    )
    return { last: null, ...(rows[0] as Omit<Slice, 'last'>) }
  },

  quarantine: (db, { after, limit }) => {
    const since = daysAgo('a', 'quarantineDays')
    return slice(db, {
      rows: sql`select quarantine_id, integration_id, reference, last_seen_at as at, quarantine_id::text as key
        from quarantine where quarantine_id > ${after ?? '-1'}::bigint order by quarantine_id limit ${limit}`,
      order: sql`quarantine_id`,
      judged: sql`${ACCOUNT_OF_INTEGRATION}`,
      expired: sql`t.at < ${since} and (t.reference is null or not ${needed(sql`t.reference`, since)})`,
      gone: sql`delete from quarantine q using judged j where j.expired and q.quarantine_id = j.quarantine_id
        and q.last_seen_at = j.at returning 1`,
    })
  },
}

/** Checks a slice of rows `t`, each with its time `at` and its `key`, and deletes those that are `expired`. */
async function slice(
  db: Database,
  parts: Record<'rows' | 'order' | 'judged' | 'expired' | 'gone', RawBuilder<unknown>>,
): Promise<Slice> {
  const { rows } = await sql<Slice>`
    with t as materialized (${parts.rows}),
    judged as materialized (select t.*, ${parts.expired} as expired from t ${parts.judged}),
    gone as (${parts.gone})
    select (select (array_agg(key order by ${parts.order}))[count(*)] from t) as last,
      (select count(*)::int from gone) as deleted,
      (select min(at) from judged where not expired) as "oldestAt"`.execute(db)
  return rows[0] as Slice
}

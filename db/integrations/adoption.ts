import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../core/connect.ts'
import { formOf, type KeyRing, open, seal, sealContext } from '../core/seal.ts'
import { inTransaction } from '../core/transaction.ts'
import { requestScopeRun } from '../scope-rules/scope-runs.ts'

/** Rows per transaction. Raw objects are sealed for their integration, so each is opened and sealed again. */
const SLICE = 200

export interface Adopter {
  integrationId: string
  /** Sub-accounts that it is limited to; empty: all. */
  subAccounts: readonly string[]
}

/**
 * Moves the next chargebacks from the same merchant's INACTIVE integrations of the same PSP account to this
 * integration: ids, data points, timeline and commands stay. Raw objects and marks of erased persons move with them.
 * Call it until it returns 0; a crash between two calls loses nothing.
 */
export async function adoptChargebacks(db: Database, ring: KeyRing, adopter: Adopter): Promise<number> {
  return inTransaction(db, async (trx) => {
    const { integrationId } = adopter
    // Before its chargebacks, as in a poll.
    await sql`select from integration where integration_id = ${integrationId} for no key update`.execute(trx)
    const found = await adoptable(trx, adopter)
    if (found.length === 0) return 0
    const ids = found.map(({ id }) => id)
    const about = sql`(integration_id, reference) in (
      select * from unnest(${found.map((one) => one.integrationId)}::uuid[], ${found.map((one) => one.reference)}::text[]))`
    await moveSealed(trx, ring, 'raw_object', about, integrationId)
    // In the same transaction as the chargeback: where a PSP has no list, a command in between would find no data of
    // its dispute.
    const ofFormer = sql`integration_id = any(${[...new Set(found.map((one) => one.integrationId))]}::uuid[])
      and "references" && ${found.map((one) => one.reference)}::text[]`
    await moveSealed(trx, ring, 'notification', ofFormer, integrationId)
    await sql`
      with moved as (delete from erased_reference where ${about} returning *)
      insert into erased_reference (integration_id, reference, subject_id, told)
      select ${integrationId}, reference, subject_id, told from moved on conflict do nothing`.execute(trx)
    await sql`update alert set integration_id = ${integrationId} where ${about}`.execute(trx)
    await sql`
      with before as (select id, integration_id from chargeback where id = any(${ids})),
      moved as (
        update chargeback c set integration_id = ${integrationId}, version = version + 1, updated_at = now()
        from before where c.id = before.id
        returning c.id, c.merchant_uuid, before.integration_id as was)
      insert into timeline_event (merchant_uuid, chargeback_id, source, what, before, after)
      select merchant_uuid, id, 'verification', 'integration changed', jsonb_build_object('integrationId', was),
        jsonb_build_object('integrationId', ${integrationId}::text) from moved`.execute(trx)
    // They were decided under the settings of their former integration.
    await requestScopeRun(trx, integrationId)
    return found.length
  })
}

/**
 * Moves the next of the remaining notifications, and of the raw data that clients posted, of the same integrations: an
 * adapter without a list reads disputes from them.
 */
export async function adoptInbox(db: Database, ring: KeyRing, { integrationId }: Adopter): Promise<number> {
  return inTransaction(db, async (trx) => {
    let moved = 0
    for (const [table, key] of [
      ['notification', 'position'],
      ['ingestion', 'ingestion_id'],
    ] as const) {
      const next = sql`${sql.ref(key)} in (select t.${sql.ref(key)} from ${sql.table(table)} t
        join (${formerOf(integrationId)}) f on f.integration_id = t.integration_id limit ${SLICE})`
      moved += await moveSealed(trx, ring, table, next, integrationId)
    }
    return moved
  })
}

/**
 * The integration that holds a dispute of the merchant now, for work that began with another one: an INACTIVE
 * integration may have handed over its chargebacks since. Its own id while the dispute was not adopted.
 */
export async function holderNow(db: Database, integrationId: string, reference: string): Promise<string> {
  const { rows } = await sql<{ integrationId: string }>`
    select n.integration_id as "integrationId" from integration f
    join integration n on n.merchant_uuid = f.merchant_uuid and n.source = f.source
      and n.claimed_account = f.claimed_account and n.integration_id <> f.integration_id
    join chargeback c on c.integration_id = n.integration_id and c.chargeback_id = ${reference}
    where f.integration_id = ${integrationId} and f.status = 'INACTIVE' and c.merged_into is null
    order by n.status = 'INACTIVE', n.created_at desc limit 1`.execute(db)
  return rows[0]?.integrationId ?? integrationId
}

/** INACTIVE integrations of the same merchant and PSP account. */
const formerOf = (integrationId: string) => sql`
  select f.integration_id from integration i
  join integration f on f.merchant_uuid = i.merchant_uuid and f.source = i.source
    and f.claimed_account = i.claimed_account and f.status = 'INACTIVE'
  where i.integration_id = ${integrationId}`

async function adoptable(db: Database, { integrationId, subAccounts }: Adopter) {
  const { rows } = await sql<{ id: string; integrationId: string; reference: string }>`
    select c.id, c.integration_id as "integrationId", c.chargeback_id as reference
    from (${formerOf(integrationId)}) f join chargeback c on c.integration_id = f.integration_id
    where c.merged_into is null
      and (${subAccounts.length === 0} or c.merchant_reference_name = any(${[...subAccounts]}::text[]))
      and not exists (select from chargeback n
        where n.integration_id = ${integrationId} and n.chargeback_id = c.chargeback_id)
      -- Of two copies of one dispute only the later one: the earlier integration was deactivated before.
      and not exists (select from (${formerOf(integrationId)}) g join chargeback d on d.integration_id = g.integration_id
        where d.chargeback_id = c.chargeback_id and d.merged_into is null and d.id > c.id)
    order by c.id limit ${SLICE} for update of c`.execute(db)
  return rows
}

type Sealed = 'raw_object' | 'notification' | 'ingestion'

/**
 * Moves rows whose text is sealed for their integration, sealed for the other one. A row that exists there already
 * stays as it is.
 */
async function moveSealed(
  db: Database,
  ring: KeyRing,
  table: Sealed,
  which: RawBuilder<unknown>,
  to: string,
): Promise<number> {
  const { rows } = await sql<{ key: string; integrationId: string; sealed: string | null }>`
    select ctid::text as key, integration_id as "integrationId", sealed from ${sql.table(table)} where ${which}
    for update`.execute(db)
  const resealed = rows.map(({ integrationId, sealed }) =>
    sealed === null
      ? null
      : seal(ring, open(ring, sealed, sealContext.rawObject(integrationId)), sealContext.rawObject(to), formOf(sealed)),
  )
  await sql`
    with given as (
      select key, sealed from unnest(${rows.map((row) => row.key)}::tid[], ${resealed}::text[]) as r(key, sealed)
    ), twins as (
      delete from ${sql.table(table)} t using given r, ${sql.table(table)} n
      where t.ctid = r.key and n.integration_id = ${to} and ${sql.raw(SAME[table])}
      returning t.ctid as key
    )
    update ${sql.table(table)} t set integration_id = ${to}, sealed = r.sealed
    from given r where t.ctid = r.key and r.key not in (select key from twins)`.execute(db)
  return rows.length
}

/** By table: the condition under which rows of two integrations are duplicates. */
const SAME: Record<Sealed, string> = {
  raw_object: 'n.kind = t.kind and n.reference = t.reference',
  notification: 'n.notification_id = t.notification_id',
  ingestion: 'false',
}

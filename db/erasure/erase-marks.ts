import { sql } from 'kysely'
import { isAbout } from '../../domain/redaction.ts'
import { openClientData, openRecord } from '../chargebacks/chargeback-data.ts'
import { JOINED } from '../chargebacks/joined-transactions.ts'
import { refreshChargebackData } from '../chargebacks/refresh-data.ts'
import type { Database } from '../core/connect.ts'
import { type KeyRing, open, sealContext } from '../core/seal.ts'
import { countErased, type Removal } from './removals.ts'

/**
 * Marks the person's chargebacks, by the PSP's ids. The data that identifies them is erased next, and the PSP will send
 * it again.
 */

const SLICE = 200

interface Dispute {
  integrationId: string
  reference: string
}

interface Candidate {
  key: string
  disputes: Dispute[]
  text: string
}

/** @returns how many were newly marked as the person's */
export async function markChargebacks(db: Database, ring: KeyRing, removal: Removal): Promise<number> {
  let marked = 0
  for (const read of [rawObjects, ingestions, clientData, transactionRecords])
    for (let after = ''; ; ) {
      const found = await read(db, ring, removal, after)
      const about = found.filter(({ text }) => isAbout(text, removal.who))
      marked += await mark(
        db,
        removal,
        about.flatMap((one) => one.disputes),
      )
      const last = found.at(-1)
      if (found.length < SLICE || !last) break
      after = last.key
    }
  return marked
}

async function mark(db: Database, removal: Removal, disputes: Dispute[]): Promise<number> {
  if (disputes.length === 0) return 0
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql`
      insert into erased_reference (integration_id, reference, subject_id)
      select distinct d.i, d.r, ${removal.subjectId}::uuid
      from unnest(${disputes.map((one) => one.integrationId)}::uuid[],
        ${disputes.map((one) => one.reference)}::text[]) as d(i, r)
      on conflict do nothing returning 1`.execute(trx)
    await countErased(trx, removal.removalId, 'chargebacks', rows.length)
    return rows.length
  })
}

async function rawObjects(db: Database, ring: KeyRing, removal: Removal, after: string): Promise<Candidate[]> {
  const { rows } = await sql<Dispute & { key: string; sealed: string }>`
    select concat(r.integration_id, ' ', r.kind, ' ', r.reference) as key, r.integration_id as "integrationId",
      r.reference, r.sealed
    from raw_object r join integration i on i.integration_id = r.integration_id
    where r.persons && ${removal.lookups}::bytea[] and r.persons <> '{}' and i.merchant_uuid = ${removal.merchantUuid}
      and concat(r.integration_id, ' ', r.kind, ' ', r.reference) > ${after}
    order by key limit ${SLICE}`.execute(db)
  return rows.map((row) => opened(ring, row))
}

/** Chargebacks and alerts that a client posted in a sandbox. Other records refer to a chargeback by id. */
async function ingestions(db: Database, ring: KeyRing, removal: Removal, after: string): Promise<Candidate[]> {
  const { rows } = await sql<Dispute & { key: string; sealed: string }>`
    select g.ingestion_id::text as key, g.integration_id as "integrationId", g.reference, g.sealed from ingestion g
    where g.persons && ${removal.lookups}::bytea[] and g.merchant_uuid = ${removal.merchantUuid}
      and g.data_type in ('chargebacks', 'early_fraud_warnings') and g.sealed is not null
      and g.ingestion_id::text > ${after}
    order by key limit ${SLICE}`.execute(db)
  return rows.map((row) => opened(ring, row))
}

const opened = (
  ring: KeyRing,
  { key, integrationId, reference, sealed }: Dispute & { key: string; sealed: string },
) => ({
  key,
  disputes: [{ integrationId, reference }],
  text: open(ring, sealed, sealContext.rawObject(integrationId)),
})

async function clientData(db: Database, ring: KeyRing, removal: Removal, after: string): Promise<Candidate[]> {
  const { rows } = await sql<Dispute & { key: string; sealed: string }>`
    select d.chargeback_id::text as key, d.sealed, c.integration_id as "integrationId", c.chargeback_id as reference
    from client_data d join chargeback c on c.id = d.chargeback_id
    where d.persons && ${removal.lookups}::bytea[] and d.merchant_uuid = ${removal.merchantUuid}
      and d.chargeback_id::text > ${after}
    order by key limit ${SLICE}`.execute(db)
  return rows.map(({ key, sealed, integrationId, reference }) => ({
    key,
    disputes: [{ integrationId, reference }],
    text: JSON.stringify(openClientData(ring, key, sealed)),
  }))
}

async function transactionRecords(db: Database, ring: KeyRing, removal: Removal, after: string): Promise<Candidate[]> {
  const { rows } = await sql<{ key: string; sealed: string; disputes: Dispute[] }>`
    select t.transaction_record_id::text as key, t.sealed,
      (select coalesce(json_agg(json_build_object('integrationId', c.integration_id, 'reference', c.chargeback_id)), '[]')
        from chargeback c where ${JOINED}) as disputes
    from transaction_record t
    where t.persons && ${removal.lookups}::bytea[] and t.merchant_uuid = ${removal.merchantUuid}
      and t.transaction_record_id::text > ${after}
    order by key limit ${SLICE}`.execute(db)
  return rows.map(({ key, sealed, disputes }) => ({
    key,
    disputes,
    text: JSON.stringify(openRecord(ring, key, sealed)),
  }))
}

/** Refreshes the person's chargebacks after the erasure, with one timeline row each. */
export async function refreshMarked(db: Database, ring: KeyRing, removal: Removal, now: Date): Promise<void> {
  for (let after = ''; ; ) {
    const { rows } = await sql<{ id: string; told: boolean }>`
      select c.id, r.told from erased_reference r
      join chargeback c on c.integration_id = r.integration_id and c.chargeback_id = r.reference
      where r.subject_id = ${removal.subjectId} and c.id::text > ${after} order by c.id::text limit ${SLICE}`.execute(
      db,
    )
    const ids = rows.map((row) => row.id)
    const touched = rows.filter((row) => !row.told).map((row) => row.id)
    await db.transaction().execute(async (trx) => {
      await refreshChargebackData(trx, ring, ids, { now, source: 'removal', what: 'personal data erased', touched })
      await sql`
        update erased_reference r set told = true from chargeback c
        where c.integration_id = r.integration_id and c.chargeback_id = r.reference
          and r.subject_id = ${removal.subjectId} and c.id = any(${touched}::uuid[])`.execute(trx)
    })
    after = ids.at(-1) ?? after
    if (rows.length < SLICE) return
  }
}

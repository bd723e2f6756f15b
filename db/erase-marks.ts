import { sql } from 'kysely'
import { isAbout } from '../domain/redaction.ts'
import { openClientData, openRecord } from './chargeback-data.ts'
import type { Database } from './connect.ts'
import { JOINED } from './joined-transactions.ts'
import { refreshChargebackData } from './refresh-data.ts'
import { countErased, type Removal } from './removals.ts'
import { type KeyRing, open, sealContext } from './seal.ts'

/**
 * The person's chargebacks: found once by what is known about them, and remembered by the PSP's ids, because what they
 * were found by is erased next and a PSP sends it again.
 */

const SLICE = 200

interface Candidate {
  key: string
  chargebackIds: string[]
  /** Opens what the row holds. */
  text: string
}

/** @returns how many were not known as the person's before */
export async function markChargebacks(db: Database, ring: KeyRing, removal: Removal): Promise<number> {
  let marked = 0
  for (const read of [rawObjects, clientData, transactionRecords])
    for (let after = ''; ; ) {
      const found = await read(db, ring, removal, after)
      const about = found.filter(({ text }) => isAbout(text, removal.who))
      marked += await mark(db, removal, [...new Set(about.flatMap((one) => one.chargebackIds))])
      const last = found.at(-1)
      if (found.length < SLICE || !last) break
      after = last.key
    }
  return marked
}

async function mark(db: Database, removal: Removal, chargebackIds: string[]): Promise<number> {
  if (chargebackIds.length === 0) return 0
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql`
      insert into erased_reference (integration_id, reference, subject_id)
      select integration_id, chargeback_id, ${removal.subjectId} from chargeback where id = any(${chargebackIds}::uuid[])
      on conflict do nothing returning 1`.execute(trx)
    await countErased(trx, removal.removalId, 'chargebacks', rows.length)
    return rows.length
  })
}

async function rawObjects(db: Database, ring: KeyRing, removal: Removal, after: string): Promise<Candidate[]> {
  const { rows } = await sql<{ key: string; integrationId: string; sealed: string; id: string | null }>`
    select concat(r.integration_id, ' ', r.kind, ' ', r.reference) as key, r.integration_id as "integrationId",
      r.sealed, c.id
    from raw_object r join integration i on i.integration_id = r.integration_id
    left join chargeback c on c.integration_id = r.integration_id and c.chargeback_id = r.reference
    where r.persons && ${removal.lookups}::bytea[] and r.persons <> '{}' and i.merchant_uuid = ${removal.merchantUuid}
      and concat(r.integration_id, ' ', r.kind, ' ', r.reference) > ${after}
    order by key limit ${SLICE}`.execute(db)
  return rows.map(({ key, integrationId, sealed, id }) => ({
    key,
    chargebackIds: id === null ? [] : [id],
    text: open(ring, sealed, sealContext.rawObject(integrationId)),
  }))
}

async function clientData(db: Database, ring: KeyRing, removal: Removal, after: string): Promise<Candidate[]> {
  const { rows } = await sql<{ key: string; sealed: string }>`
    select d.chargeback_id::text as key, d.sealed from client_data d
    where d.persons && ${removal.lookups}::bytea[] and d.merchant_uuid = ${removal.merchantUuid}
      and d.chargeback_id::text > ${after}
    order by key limit ${SLICE}`.execute(db)
  return rows.map(({ key, sealed }) => ({
    key,
    chargebackIds: [key],
    text: JSON.stringify(openClientData(ring, key, sealed)),
  }))
}

async function transactionRecords(db: Database, ring: KeyRing, removal: Removal, after: string): Promise<Candidate[]> {
  const { rows } = await sql<{ key: string; sealed: string; ids: string[] }>`
    select t.transaction_record_id::text as key, t.sealed,
      array(select c.id::text from chargeback c where ${JOINED}) as ids
    from transaction_record t
    where t.persons && ${removal.lookups}::bytea[] and t.merchant_uuid = ${removal.merchantUuid}
      and t.transaction_record_id::text > ${after}
    order by key limit ${SLICE}`.execute(db)
  return rows.map(({ key, sealed, ids }) => ({
    key,
    chargebackIds: ids,
    text: JSON.stringify(openRecord(ring, key, sealed)),
  }))
}

/** Brings the person's chargebacks in line with what is left about them, and tells each timeline once. */
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

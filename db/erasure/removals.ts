import { sql } from 'kysely'
import { v7 } from 'uuid'
import { type Person, person } from '../../domain/redaction.ts'
import type { Database } from '../core/connect.ts'
import { enqueue } from '../core/outbox.ts'
import { type KeyRing, open, seal, sealContext } from '../core/seal.ts'
import { keptPersonsKeys } from '../core/sealing-keys.ts'
import { addErasedSubject } from './erased.ts'
import { personLookups } from './persons.ts'

/** Requests to erase a person. The row holds the person, sealed, until the work is done. */

export interface DataSubject {
  email: string
  firstName: string
  lastName: string
}

/**
 * Stores the request. Whether any data of the person exists is found out later. @returns the message to dispatch after
 * the commit
 */
export async function createRemoval(
  db: Database,
  ring: KeyRing,
  { merchantUuid, credentialId, who }: { merchantUuid: string; credentialId: string; who: DataSubject },
): Promise<{ removalId: string; outboxId: bigint }> {
  const removalId = v7()
  const { email, firstName, lastName } = who
  await db
    .insertInto('removal')
    .values({
      removal_id: removalId,
      merchant_uuid: merchantUuid,
      credential_id: credentialId,
      person_sealed: seal(ring, JSON.stringify({ email, firstName, lastName }), sealContext.removal(removalId)),
    })
    .execute()
  return { removalId, outboxId: await enqueue(db, { kind: 'remove_data_subject', payload: { removalId } }) }
}

/** A removal in progress. */
export interface Removal {
  removalId: string
  merchantUuid: string
  /** The person's entry in the list of erased persons. */
  subjectId: string
  who: Person
  /** Hashes that find the person in `persons` columns. */
  lookups: Buffer[]
}

/** Opens the request and adds the person to the list. Null when it is done, or does not exist. */
export async function takeRemoval(db: Database, ring: KeyRing, removalId: string): Promise<Removal | null> {
  const row = await db
    .updateTable('removal')
    .set({ status: 'inProgress', checked_at: sql`now()` })
    .where('removal_id', '=', removalId)
    .where('status', '<>', 'succeeded')
    .returning(['merchant_uuid', 'person_sealed'])
    .executeTakeFirst()
  if (!row || row.person_sealed === null) return null
  const subject = JSON.parse(open(ring, row.person_sealed, sealContext.removal(removalId))) as DataSubject
  return {
    removalId,
    merchantUuid: row.merchant_uuid,
    subjectId: await addErasedSubject(db, ring, row.merchant_uuid, subject),
    who: person(subject),
    lookups: personLookups(ring, subject.email, await keptPersonsKeys(db, ring)),
  }
}

/** Input of its workflow. Null when it is done, or does not exist. */
export async function readUnfinishedRemoval(
  db: Database,
  removalId: string,
): Promise<{ merchantUuid: string; status: string } | null> {
  const row = await db
    .selectFrom('removal')
    .select(['merchant_uuid as merchantUuid', 'status'])
    .where('removal_id', '=', removalId)
    .where('status', '<>', 'succeeded')
    .executeTakeFirst()
  return row ?? null
}

/**
 * Removals without activity for `quietSeconds`: their workflow run may be lost. Each call counts as activity, because a
 * removal that waits long for a submission would otherwise be returned again and again.
 */
export async function quietRemovals(db: Database, quietSeconds: number, limit: number): Promise<string[]> {
  const { rows } = await sql<{ removalId: string }>`
    update removal r set checked_at = now() from (
      select removal_id from removal where status <> 'succeeded'
        and coalesce(checked_at, requested_at) < now() - make_interval(secs => ${quietSeconds})
      order by requested_at limit ${limit} for update skip locked
    ) quiet where r.removal_id = quiet.removal_id
    returning r.removal_id as "removalId"`.execute(db)
  return rows.map((row) => row.removalId)
}

/** Adds to the proof of erasure, in the transaction of the counted change. */
export async function countErased(db: Database, removalId: string, place: string, count: number): Promise<void> {
  if (count === 0) return
  await sql`
    update removal set proof = proof || jsonb_build_object(${place}::text,
      coalesce((proof ->> ${place}::text)::int, 0) + ${count}::int) where removal_id = ${removalId}`.execute(db)
}

/** Removes the person from the request itself; only counts stay. */
export async function finishRemoval(db: Database, removalId: string): Promise<void> {
  await sql`
    with done as (
      update removal set status = 'succeeded', person_sealed = null, completed_at = now()
      where removal_id = ${removalId} and status <> 'succeeded' returning merchant_uuid, removal_id
    )
    insert into event_line (merchant_uuid, type, subject)
    select merchant_uuid, 'data_subject_removal.completed', removal_id from done`.execute(db)
}

/** A removal as clients see it: counts of erased places, never the person. */
export interface RemovalRecord {
  removalId: string
  status: string
  erased: Record<string, number>
}

/** Those of the removals that the merchant has. */
export async function readRemovals(
  db: Database,
  { merchantUuid, removalIds }: { merchantUuid: string; removalIds: readonly string[] },
): Promise<RemovalRecord[]> {
  const rows = await db
    .selectFrom('removal')
    .select(['removal_id', 'status', 'proof'])
    .where('merchant_uuid', '=', merchantUuid)
    .where('removal_id', 'in', removalIds)
    .execute()
  return rows.map((row) => ({
    removalId: row.removal_id,
    status: row.status,
    erased: row.proof as Record<string, number>,
  }))
}

/**
 * Tells polls of the merchant that a person was erased, after the person was listed. A page that is stored by one statement
 * reads the list before it has a transaction id; it compares this number when it has locked the integration's row. One row
 * in each transaction, so that no two writers can wait for each other.
 */
export async function noteErasure(db: Database, merchantUuid: string): Promise<void> {
  const rows = await db
    .selectFrom('integration')
    .select('integration_id')
    .where('merchant_uuid', '=', merchantUuid)
    .execute()
  for (const { integration_id } of rows)
    await db
      .updateTable('integration')
      .set({ erasures: sql<bigint>`erasures + 1` })
      .where('integration_id', '=', integration_id)
      .execute()
}

/**
 * A point in time, as a transaction id: transactions that wrote before it have a lower one. A transaction that stores
 * PSP texts writes first and then reads the list of erased persons, so once `earlierTransactionsEnded` returns true, all that read the
 * list before this point have ended.
 */
export async function readTransactionMark(db: Database): Promise<string> {
  const { rows } = await sql<{ moment: string }>`select pg_current_xact_id()::text as moment`.execute(db)
  return rows[0]?.moment as string
}

export async function earlierTransactionsEnded(db: Database, moment: string): Promise<boolean> {
  const { rows } = await sql<{ past: boolean }>`
    select pg_snapshot_xmin(pg_current_snapshot()) > ${moment}::xid8 as past`.execute(db)
  return rows[0]?.past ?? false
}

import { sql } from 'kysely'
import { v7 } from 'uuid'
import { type Person, person } from '../../domain/redaction.ts'
import type { Database } from '../core/connect.ts'
import { enqueue } from '../core/outbox.ts'
import { type KeyRing, open, seal, sealContext } from '../core/seal.ts'
import { keptPersonsKeys } from '../core/sealing-keys.ts'
import { listSubject } from './erased.ts'
import { personLookups } from './persons.ts'

/** Requests to erase a person. The person stands sealed in the row for as long as the work lasts, then nowhere. */

export interface DataSubject {
  email: string
  firstName: string
  lastName: string
}

/** Stores the request; whether anybody knows the person is found out later. @returns what to dispatch after the commit */
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

/** A removal at work. */
export interface Removal {
  removalId: string
  merchantUuid: string
  /** The person's entry in the list of the erased. */
  subjectId: string
  who: Person
  /** What the person is found by in `persons` columns. */
  lookups: Buffer[]
}

/** Opens the request and puts the person on the list. Null when it is done already, or there is none. */
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
    subjectId: await listSubject(db, ring, row.merchant_uuid, subject),
    who: person(subject),
    lookups: personLookups(ring, subject.email, await keptPersonsKeys(db, ring)),
  }
}

/** What starting its run needs; null when it is done already, or there is none. */
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
 * Removals without a sign for `quietSeconds`: their run may be gone. To be asked about counts as a sign: one that waits long
 * for a submission would else keep its place for as long.
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

/** Adds to the proof, in the transaction of what it counts. */
export async function countErased(db: Database, removalId: string, place: string, count: number): Promise<void> {
  if (count === 0) return
  await sql`
    update removal set proof = proof || jsonb_build_object(${place}::text,
      coalesce((proof ->> ${place}::text)::int, 0) + ${count}::int) where removal_id = ${removalId}`.execute(db)
}

/** The person is nowhere any more, here neither: counts are left. */
export async function finishRemoval(db: Database, removalId: string): Promise<void> {
  await db
    .updateTable('removal')
    .set({ status: 'succeeded', person_sealed: null, completed_at: sql`now()` })
    .where('removal_id', '=', removalId)
    .where('status', '<>', 'succeeded')
    .execute()
}

/**
 * A moment, as the number of a transaction: whoever wrote before it has a lower one. Who keeps what a PSP sent writes
 * first and then asks the list of the erased, so all that asked before this moment have ended once `isPast` says so.
 */
export async function momentOf(db: Database): Promise<string> {
  const { rows } = await sql<{ moment: string }>`select pg_current_xact_id()::text as moment`.execute(db)
  return rows[0]?.moment as string
}

export async function isPast(db: Database, moment: string): Promise<boolean> {
  const { rows } = await sql<{ past: boolean }>`
    select pg_snapshot_xmin(pg_current_snapshot()) > ${moment}::xid8 as past`.execute(db)
  return rows[0]?.past ?? false
}

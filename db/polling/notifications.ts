import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'
import { enqueuePoll } from '../core/outbox.ts'
import type { KeyRing } from '../core/seal.ts'
import { inTransaction } from '../core/transaction.ts'
import { sealTexts } from '../erasure/kept-texts.ts'
import { contextArrived } from './enrichment.ts'
import { requestReread } from './rereads.ts'

/** Notifications of PSPs. Bodies are passed sealed; ids and references are stored in plain text. */

export interface NewNotification {
  integrationId: string
  /** The PSP's id of the delivery. */
  notificationId: string
  type: string
  references: string[]
  body: string
}

/**
 * Stores a verified notification and requests a poll. With `reread`, the poll first reads the disputes that the
 * notification names; without, it may be about a transaction that a chargeback waits for. The integration's row is locked
 * first, so that positions become visible in their order.
 * @returns false when it was delivered before: nothing is changed
 */
export async function storeNotification(
  db: Database,
  ring: KeyRing,
  notification: NewNotification,
  { reread }: { reread: boolean },
): Promise<boolean> {
  const { integrationId } = notification
  return inTransaction(db, async (trx) => {
    await trx
      .updateTable('integration')
      .set({ notification_at: sql`now()` })
      .where('integration_id', '=', integrationId)
      .execute()
    if (!(await insert(trx, ring, notification))) return false
    if (reread) await requestReread(trx, integrationId, notification.references)
    else await contextArrived(trx, integrationId, notification.references)
    await enqueuePoll(trx, integrationId)
    return true
  })
}

/** Stores an adapter's own marker next to the notifications. */
export async function storeNote(db: Database, ring: KeyRing, note: NewNotification): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`select from integration where integration_id = ${note.integrationId} for no key update`.execute(trx)
    await insert(trx, ring, note)
  })
}

async function insert(db: Database, ring: KeyRing, notification: NewNotification): Promise<boolean> {
  const { references, body } = notification
  const [kept] = await sealTexts(db, ring, notification.integrationId, [{ references, text: body }])
  if (!kept) return false
  const row = await db
    .insertInto('notification')
    .values({
      integration_id: notification.integrationId,
      notification_id: notification.notificationId,
      type: notification.type,
      references,
      ...kept,
    })
    .onConflict((conflict) => conflict.columns(['integration_id', 'notification_id']).doNothing())
    .returning('position')
    .executeTakeFirst()
  return row !== undefined
}

/** Counts a delivery that failed verification. An unknown integration costs the same statement. */
export async function countRefused(db: Database, integrationId: string): Promise<void> {
  await db
    .updateTable('integration')
    .set({ notifications_refused: sql<bigint>`notifications_refused + 1`, notification_refused_at: sql`now()` })
    .where('integration_id', '=', integrationId)
    .execute()
}

export interface SealedNotification {
  position: bigint
  receivedAt: Date
  sealed: string
}

/** Oldest first, after `after`. */
export async function notificationsAfter(
  db: Database,
  integrationId: string,
  after: bigint | null,
  limit: number,
): Promise<SealedNotification[]> {
  let query = inbox(db, integrationId).limit(limit)
  if (after !== null) query = query.where('position', '>', after)
  return query.execute()
}

/** All stored notifications that name the reference, oldest first. */
export async function notificationsAbout(
  db: Database,
  integrationId: string,
  reference: string,
): Promise<SealedNotification[]> {
  return inbox(db, integrationId)
    .where(sql<boolean>`"references" @> ${[reference]}::text[]`)
    .execute()
}

/** All stored notifications that name any of the references, with those references, oldest first. */
export async function notificationsAboutAll(
  db: Database,
  integrationId: string,
  references: readonly string[],
): Promise<(SealedNotification & { references: string[] })[]> {
  const wanted = new Set(references)
  const rows = await inbox(db, integrationId)
    .select('references')
    .where(sql<boolean>`"references" && ${[...wanted]}::text[]`)
    .execute()
  return rows.map((row) => ({ ...row, references: row.references.filter((one) => wanted.has(one)) }))
}

const inbox = (db: Database, integrationId: string) =>
  db
    .selectFrom('notification')
    .select(['position', 'received_at as receivedAt', 'sealed'])
    .where('integration_id', '=', integrationId)
    .orderBy('position')

/** Types of stored data that is no notification: raw data posted by clients, and markers of adapters. */
export const POSTED_TYPE = 'recoup.raw_data'
export const NOTE_TYPE = 'recoup.note'

import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'
import { Refusal } from '../core/refusal.ts'
import { PREPARED } from '../core/scoped-query.ts'
import { RENDERED } from './column-sql.ts'

/**
 * @returns the chargeback as clients see it, as JSON text, rendered as in the list
 * @throws Refusal chargeback_not_found, also for another merchant's
 */
export async function readChargeback(
  db: Database,
  { merchantUuid, chargebackId }: { merchantUuid: string; chargebackId: string },
): Promise<string> {
  const { rows } = await sql<{ item: string }>`
    select ${RENDERED} as item from chargeback c
    join (select merchant_uuid, to_json(reference_id)::text as reference from merchant) merchant using (merchant_uuid)
    where c.merchant_uuid = ${merchantUuid} and c.id = ${chargebackId} ${PREPARED}`.execute(db)
  if (!rows[0]) throw chargebackNotFound()
  return rows[0].item
}

/** Those of the chargebacks that the merchant has, rendered as in the list, as JSON text by id. */
export async function readChargebacks(
  db: Database,
  { merchantUuid, chargebackIds }: { merchantUuid: string; chargebackIds: readonly string[] },
): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; item: string }>`
    select c.id, ${RENDERED} as item from chargeback c
    join (select merchant_uuid, to_json(reference_id)::text as reference from merchant) merchant using (merchant_uuid)
    where c.merchant_uuid = ${merchantUuid} and c.id = any(${[...chargebackIds]}::uuid[])`.execute(db)
  return new Map(rows.map(({ id, item }) => [id, item]))
}

/** The PSP's id of the integration's newest dispute; null when there is none. */
export async function newestReference(db: Database, integrationId: string): Promise<string | null> {
  const row = await db
    .selectFrom('chargeback')
    .select('chargeback_id')
    .where('integration_id', '=', integrationId)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.chargeback_id ?? null
}

/**
 * Locks rows in the order of their ids, as everywhere: docs/decisions/0076. The lock still lets others write timeline rows
 * and commands that refer to the rows.
 */
export async function lockChargebacks(db: Database, chargebackIds: readonly string[]): Promise<void> {
  if (chargebackIds.length === 0) return
  await sql`select from chargeback where id = any(${[...chargebackIds]}::uuid[]) order by id for no key update`.execute(
    db,
  )
}

export const chargebackNotFound = () =>
  new Refusal('missing', 'chargeback_not_found', 'There is no chargeback with this id.')

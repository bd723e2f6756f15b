import type { Database } from '../core/connect.ts'
import { Refusal } from '../core/refusal.ts'

/** @throws Refusal chargeback_not_found, also for another merchant's */
export async function readChargeback(
  db: Database,
  { merchantUuid, chargebackId }: { merchantUuid: string; chargebackId: string },
) {
  const row = await db
    .selectFrom('chargeback')
    .innerJoin('merchant', 'merchant.merchant_uuid', 'chargeback.merchant_uuid')
    .selectAll('chargeback')
    .select('merchant.reference_id')
    .where('chargeback.merchant_uuid', '=', merchantUuid)
    .where('chargeback.id', '=', chargebackId)
    .executeTakeFirst()
  if (!row) throw chargebackNotFound()
  return row
}

/** The PSP's id of the integration's newest dispute; null while it has none. */
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

export const chargebackNotFound = () =>
  new Refusal('missing', 'chargeback_not_found', 'There is no chargeback with this id.')

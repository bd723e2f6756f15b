import type { Database } from './connect.ts'
import { Refusal } from './refusal.ts'

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

export const chargebackNotFound = () =>
  new Refusal('missing', 'chargeback_not_found', 'There is no chargeback with this id.')

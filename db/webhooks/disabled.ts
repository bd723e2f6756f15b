import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'
import { addEvent } from '../events/lines.ts'
import { disableEndpoint } from './endpoint-changes.ts'

/** Actor of changes that deliveries caused, in the trail. */
export const BY_DELIVERY = 'delivery'

/**
 * Disables an endpoint because of what its receiver answers, and writes that to the log, so that other endpoints and
 * readers of the log learn of it. An endpoint of all merchants has no merchant: the log of the account's first one has
 * it. Call it in the transaction that stores the attempts.
 */
export async function stopEndpoint(
  db: Database,
  { endpointId, accountId, merchantUuid }: { endpointId: string; accountId: string; merchantUuid: string | null },
  reason: 'gone' | 'unreachable',
): Promise<void> {
  if (!(await disableEndpoint(db, { endpointId, actor: BY_DELIVERY, reason }))) return
  const { rows } = await sql<{ merchantUuid: string }>`
    select merchant_uuid as "merchantUuid" from merchant
    where account_id = ${accountId} and (${merchantUuid}::uuid is null or merchant_uuid = ${merchantUuid}::uuid)
    order by created_at, merchant_uuid limit 1`.execute(db)
  for (const one of rows) await addEvent(db, { ...one, type: 'webhook_endpoint.disabled', subject: endpointId })
}

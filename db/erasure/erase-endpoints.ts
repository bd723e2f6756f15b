import { sql } from 'kysely'
import { isAbout } from '../../domain/redaction.ts'
import type { Database } from '../core/connect.ts'
import { disableEndpoint } from '../webhooks/endpoint-changes.ts'
import { countErased, type Removal } from './removals.ts'

/**
 * Webhook endpoints of the merchant, or of its account: description and address are the client's words. An address about
 * the person loses path and parameters, and its endpoint is disabled, because it would receive at another place.
 * @returns how many endpoints held the person
 */
export async function eraseEndpoints(db: Database, { merchantUuid, removalId, who }: Removal): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ endpointId: string; url: string; description: string | null }>`
      select w.endpoint_id as "endpointId", w.url, w.description from merchant m
      join webhook_endpoint w on w.account_id = m.account_id
        and (w.merchant_uuid = m.merchant_uuid or w.merchant_uuid is null)
      where m.merchant_uuid = ${merchantUuid} and w.deleted_at is null for no key update of w`.execute(trx)
    const held = rows.filter(({ url, description }) => isAbout(url, who) || isAbout(description ?? '', who))
    for (const { endpointId, url, description } of held) {
      const isMoved = isAbout(url, who)
      if (isMoved) await disableEndpoint(trx, { endpointId, actor: 'removal', reason: 'address_erased' })
      await sql`
        update webhook_endpoint set url = ${isMoved ? new URL(url).origin : url},
          description = ${isAbout(description ?? '', who) ? null : description}
        where endpoint_id = ${endpointId}`.execute(trx)
    }
    await countErased(trx, removalId, 'webhookEndpoints', held.length)
    return held.length
  })
}

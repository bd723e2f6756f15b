import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'
import type { LoggedEvent } from '../events/log.ts'
import type { EndpointOwner } from './endpoints.ts'

export type OwnedEvent = LoggedEvent & { merchantUuid: string }

/** Events by position, as far as they are of the owner's merchants and still in the log. */
export async function readByPosition(
  db: Database,
  { accountId, merchantUuid }: EndpointOwner,
  positions: readonly bigint[],
): Promise<OwnedEvent[]> {
  const { rows } = await sql<OwnedEvent>`
    select e.position, e.event_id as "eventId", e.type, e.subject, e.chargeback_id as "chargebackId",
      e.timeline_from as "timelineFrom", e.timeline_to as "timelineTo", e.occurred_at as "occurredAt", e.quiet,
      e.merchant_uuid as "merchantUuid"
    from event e join merchant m on m.merchant_uuid = e.merchant_uuid
    where e.position = any(${positions.map(String)}::bigint[]) and m.account_id = ${accountId}
      and (${merchantUuid}::uuid is null or e.merchant_uuid = ${merchantUuid}::uuid)`.execute(db)
  return rows
}

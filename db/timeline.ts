import { sql } from 'kysely'
import { chargebackNotFound } from './chargebacks.ts'
import type { Database } from './connect.ts'

export interface TimelineRecord {
  when: Date
  source: string
  what: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

/** Everything that happened to a chargeback, oldest first. @throws Refusal chargeback_not_found */
export async function readTimeline(
  db: Database,
  { merchantUuid, chargebackId }: { merchantUuid: string; chargebackId: string },
): Promise<TimelineRecord[]> {
  // The chargeback's row is in every line, so that one without events differs from none.
  const { rows } = await sql<TimelineRecord & { when: Date | null }>`
    select t."when", t.source, t.what, t.before, t.after
    from chargeback c left join timeline_event t on t.chargeback_id = c.id
    where c.merchant_uuid = ${merchantUuid} and c.id = ${chargebackId}
    order by t.timeline_event_id`.execute(db)
  if (rows.length === 0) throw chargebackNotFound()
  return rows.filter((row) => row.when !== null)
}

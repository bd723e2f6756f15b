import { sql } from 'kysely'
import { type KnownDataPoint, knownDataPoints } from '../../domain/details/known-data-points.ts'
import type { Database } from '../core/connect.ts'
import type { KeyRing } from '../core/seal.ts'
import { loadChargebackData } from './chargeback-data.ts'
import { chargebackNotFound } from './chargebacks.ts'

/** `when` of a client's data point: the time that it was last given. Two statements. @throws Refusal chargeback_not_found */
export async function readDataPoints(
  db: Database,
  ring: KeyRing,
  { merchantUuid, chargebackId }: { merchantUuid: string; chargebackId: string },
): Promise<(KnownDataPoint & { when: Date | null })[]> {
  const [data] = await loadChargebackData(db, ring, { chargebackIds: [chargebackId], merchantUuid })
  if (!data) throw chargebackNotFound()
  const { rows } = await sql<{ name: string; when: Date }>`
    select n.name, max(t."when") as "when"
    from timeline_event t cross join lateral jsonb_array_elements_text(t.after -> 'names') n(name)
    where t.merchant_uuid = ${merchantUuid} and t.chargeback_id = ${chargebackId} and t.what = 'data points changed'
    group by n.name`.execute(db)
  const given = new Map(rows.map(({ name, when }) => [name, when]))
  return knownDataPoints(data).map((one) => ({
    ...one,
    when: one.source === 'client' ? (given.get(one.name) ?? null) : null,
  }))
}

import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'

export interface ContextPoints {
  integrationId: string
  /** The PSP's id of the chargeback. */
  reference: string
  /** Data points that the PSP's transaction still provides. */
  names: string[]
}

/**
 * Replaces the names of data points that come from the PSP's transactions; `refreshChargebackData` recomputes what
 * depends on them.
 */
export async function setContextPoints(db: Database, points: ContextPoints[]): Promise<void> {
  if (points.length === 0) return
  const rows = points.map(({ integrationId, reference, names }) => ({
    integration_id: integrationId,
    reference,
    names,
  }))
  await sql`
    update chargeback c set context_points = r.names from (
      select c.id, r.names
      from json_to_recordset(${JSON.stringify(rows)}::json) as r(integration_id uuid, reference text, names text[])
      join chargeback c on c.integration_id = r.integration_id and c.chargeback_id = r.reference
      order by c.id for no key update of c
    ) r where c.id = r.id`.execute(db)
}

import { sql } from 'kysely'
import type { Database } from '../core/connect.ts'

/** One poller per integration. Each claim raises the fence; a holder of an older fence can't write any more. */
export interface Lease {
  integrationId: string
  owner: string
  fence: bigint
}

/** The place in a PSP's list, with the version of the adapter's cursor. */
export interface VersionedCursor {
  version: number
  value: unknown
}

/** Longer than any pause between two pages. */
const LEASE_SECONDS = 90

/** Claims the lease, also from an earlier attempt of the same owner. Null while another owner holds it. */
export async function takeLease(db: Database, integrationId: string, owner: string): Promise<Lease | null> {
  const row = await db
    .updateTable('integration')
    .set({
      lease_owner: owner,
      lease_until: sql`now() + make_interval(secs => ${LEASE_SECONDS})`,
      fence: sql`fence + 1`,
    })
    .where('integration_id', '=', integrationId)
    .where((eb) =>
      eb.or([eb('lease_until', 'is', null), eb('lease_until', '<', sql<Date>`now()`), eb('lease_owner', '=', owner)]),
    )
    .returning('fence')
    .executeTakeFirst()
  return row ? { integrationId, owner, fence: row.fence } : null
}

export class LeaseLost extends Error {
  constructor() {
    super('another poll of this integration took over, or it was deactivated')
    this.name = 'LeaseLost'
  }
}

/**
 * Renews the lease and writes the cursor, if there is one. It is the first statement of a page's transaction and orders
 * the pages of one integration.
 * @throws LeaseLost when the fence is older than the integration's, or the integration was deactivated meanwhile; the
 * transaction must roll back
 */
export async function advanceCursor(db: Database, lease: Lease, cursor: VersionedCursor | null): Promise<void> {
  const result = await db
    .updateTable('integration')
    .set({
      ...(cursor && { cursor: JSON.stringify(cursor.value), cursor_version: cursor.version }),
      lease_until: sql`now() + make_interval(secs => ${LEASE_SECONDS})`,
    })
    .where('integration_id', '=', lease.integrationId)
    .where('fence', '=', lease.fence)
    .where('lease_owner', '=', lease.owner)
    .where('status', '<>', 'INACTIVE')
    .executeTakeFirst()
  if (result.numUpdatedRows !== 1n) throw new LeaseLost()
}

/** The same as parts of a statement that updates `integration i`. */
export const fenced = ({ integrationId, fence, owner }: Lease) => ({
  renews: sql`lease_until = now() + make_interval(secs => ${sql.lit(LEASE_SECONDS)})`,
  holds: sql`i.integration_id = ${integrationId} and i.fence = ${fence} and i.lease_owner = ${owner}
    and i.status <> 'INACTIVE'`,
})

export async function releaseLease(db: Database, lease: Lease): Promise<void> {
  await db
    .updateTable('integration')
    .set({ lease_owner: null, lease_until: null })
    .where('integration_id', '=', lease.integrationId)
    .where('fence', '=', lease.fence)
    .execute()
}

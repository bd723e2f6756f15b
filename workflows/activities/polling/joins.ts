import { missedJoins } from '../../../db/chargebacks/joined-transactions.ts'
import { refreshChargebackData } from '../../../db/chargebacks/refresh-data.ts'
import type { ActivityDeps } from '../deps.ts'

/** Longer than any transaction that stores a page or a record. */
const MINUTES = 15
const SLICE = 100

/** Joins records and chargebacks that were stored concurrently, so that neither transaction saw the other. */
export async function mendJoins(deps: ActivityDeps): Promise<number> {
  const missed = await missedJoins(deps.db, MINUTES, SLICE)
  const how = { now: deps.now(), source: 'reconciler', what: 'transaction joined' }
  return refreshChargebackData(deps.db, deps.ring, missed, how)
}

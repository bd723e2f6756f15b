import { missedJoins } from '../../../db/chargebacks/joined-transactions.ts'
import { refreshChargebackData } from '../../../db/chargebacks/refresh-data.ts'
import type { ActivityDeps } from '../deps.ts'

/** Longer than any transaction that stores a page or a record. */
const MINUTES = 15
const SLICE = 100

/** A record and a chargeback that were stored at the same moment have not seen each other. */
export async function mendJoins(deps: ActivityDeps): Promise<number> {
  const missed = await missedJoins(deps.db, MINUTES, SLICE)
  const how = { now: deps.now(), source: 'reconciler', what: 'transaction joined' }
  return refreshChargebackData(deps.db, deps.ring, missed, how)
}

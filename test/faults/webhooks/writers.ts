import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../../../db/core/connect.ts'

/** Name of the rows' source in the timeline. */
export const WRITER = 'torture'
const SIDE_BY_SIDE = 4
/** Of the transactions, as a share. */
const ROLLED_BACK = 0.1

/**
 * Changes chargebacks as the product does, in concurrent transactions of one to three rows, some of which are rolled
 * back. While Postgres is unavailable, transactions fail; what is committed counts.
 */
export async function writeChanges(
  db: Database,
  chargebacks: readonly string[],
  { transactions, chance }: { transactions: number; chance: () => number },
): Promise<void> {
  const one = async () => {
    const id = chargebacks[Math.floor(chance() * chargebacks.length)] as string
    const rows = 1 + Math.floor(chance() * 3)
    await db.transaction().execute(async (trx) => {
      await sql`select from chargeback where id = ${id} for update`.execute(trx)
      await sql`
        insert into timeline_event (merchant_uuid, chargeback_id, source, what)
        select merchant_uuid, id, ${WRITER}, 'details changed' from chargeback, generate_series(1, ${rows}::int)
        where id = ${id}`.execute(trx)
      await pause(chance() * 20)
      if (chance() < ROLLED_BACK) throw new Error('rolled back')
    })
  }
  const writers = Array.from({ length: SIDE_BY_SIDE }, async (_, writer) => {
    for (let n = writer; n < transactions; n += SIDE_BY_SIDE) await one().catch(() => undefined)
  })
  await Promise.all(writers)
}

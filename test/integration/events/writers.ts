import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../../../db/core/connect.ts'

/** Uniform in [0, 1), the same for the same seed. */
export function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

/**
 * One change of some chargebacks, as the product makes it: the transaction has its id before it waits for the row
 * locks, which it takes in the order of the ids, and each row says how many rows its chargeback had before. Commits
 * after a random delay, or rolls back.
 * @returns the number of rows that are committed
 */
export async function change(db: Database, chargebackIds: readonly string[], next: () => number): Promise<number> {
  const rolledBack = new Error('rolled back')
  const ids = chargebackIds.filter(() => next() < 0.3).sort()
  try {
    return await db.transaction().execute(async (trx) => {
      await sql`select pg_current_xact_id()`.execute(trx)
      await pause(next() * 5)
      for (const id of ids) {
        await sql`select from chargeback where id = ${id} for update`.execute(trx)
        await sql`
          insert into timeline_event (merchant_uuid, chargeback_id, source, what, after)
          select merchant_uuid, id, 'test', 'details changed', jsonb_build_object('n',
            (select count(*) from timeline_event t where t.chargeback_id = c.id)) from chargeback c where id = ${id}`.execute(
          trx,
        )
        await pause(next() * 5)
      }
      if (next() < 0.1) throw rolledBack
      return ids.length
    })
  } catch (error) {
    if (error === rolledBack) return 0
    throw error
  }
}

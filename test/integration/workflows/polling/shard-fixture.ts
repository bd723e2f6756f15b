import { sql } from 'kysely'
import type { ShardTotals } from '../../../../workflows/contract.ts'
import { byOwner } from '../../../harness/database.ts'
import { until } from '../../../harness/until.ts'
import { openPollingFixture } from '../polling-fixture.ts'

export const PACE = { commandMs: 5_000, heartbeatMs: 10_000, recheckMs: 1_000, retryMs: 60_000 }
/** The poll interval of the fixture. */
export const EVERY_MS = 60_000

/** The polling fixture with integrations that shards poll. */
export async function openShardFixture() {
  const shop = await openPollingFixture({ faultPoints: true })
  let accounts = 0
  // All integrations share the rate limit of one PSP account, which other tests cover.
  await byOwner(
    shop.databaseUrl,
    sql`
    create function plenty() returns trigger language plpgsql as $$ begin new.tokens := 1000; return new; end $$;
    create trigger plenty before insert or update on rate_bucket for each row execute function plenty()`,
  )
  const rowOf = (id: string) =>
    shop.db.selectFrom('integration').selectAll().where('integration_id', '=', id).executeTakeFirstOrThrow()
  const rowsOf = (ids: string[]) => Promise.all(ids.map(rowOf))
  return {
    shop,
    rowOf,
    rowsOf,
    makeDue: (id: string) =>
      sql`update integration set next_poll_at = now(), lease_until = null where integration_id = ${id}`.execute(
        shop.db,
      ),
    allPolled: (ids: string[]) => async () => (await rowsOf(ids)).every((row) => row.polled_at !== null),

    /** Due integrations with disputes, the one that is due for longest first. */
    async dueIntegrations(count: number, { disputes = 2, oneMerchant = false } = {}): Promise<string[]> {
      const ids: string[] = []
      let merchant: string | undefined
      for (let place = 0; place < count; place++) {
        const account = `acct_due${++accounts}`
        await shop.control('POST', '/disputes', { count: disputes, account })
        const { integrationId, merchantUuid } = await shop.merchantOf(account, merchant)
        if (oneMerchant) merchant = merchantUuid
        const ago = `${count - place} seconds`
        await sql`update integration set next_poll_at = now() - ${ago}::interval
          where integration_id = ${integrationId}`.execute(shop.db)
        ids.push(integrationId)
      }
      return ids
    },

    /** Runs a shard until `isDone`. */
    async shardUntil(
      what: string,
      isDone: () => Promise<boolean>,
      pace = PACE,
      info: Parameters<typeof shop.pollDue>[1] = {},
    ): Promise<ShardTotals> {
      shop.hooks.stopping = false
      const run = shop.pollDue(pace, info) as Promise<ShardTotals>
      const failed = run.then(
        () => false,
        () => true,
      )
      try {
        await Promise.race([until(what, isDone), failed])
      } finally {
        shop.hooks.stopping = true
      }
      return run
    },

    /** Removes what a test leaves behind. */
    async clear(): Promise<void> {
      shop.hooks.atFaultPoint = async () => {}
      await shop.control('DELETE', '/faults')
      await sql`update integration set status = 'INACTIVE', lease_owner = null, lease_until = null`.execute(shop.db)
    },
    [Symbol.asyncDispose]: () => shop[Symbol.asyncDispose](),
  }
}

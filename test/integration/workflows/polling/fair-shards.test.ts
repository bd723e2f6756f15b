import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fillIntegrations } from '../../../faults/dispatch/many-integrations.ts'
import { openShardFixture, PACE } from './shard-fixture.ts'

/** More than a shard leases at once, and all due for longer than the small merchants'. */
const LARGE = 300
const SMALL = 10
/** Limits for one merchant in a shard: concurrent polls, and leases. */
const POLLS = 4
const LEASES = 50

let fixture: Awaited<ReturnType<typeof openShardFixture>>
beforeAll(async () => {
  fixture = await openShardFixture()
})
afterAll(() => fixture[Symbol.asyncDispose]())

test('a merchant whose polls never end gets four polls and fifty leases of a shard: others are polled', async () => {
  const { shop } = fixture
  const { db, ring } = shop
  const { account_id: accountId } = await db.selectFrom('account').select('account_id').executeTakeFirstOrThrow()
  const accountOf = (place: number) => `acct_large${place}`
  const large = await fillIntegrations(db, ring, { accountId, count: LARGE, merchants: 1, accountOf })
  // No other integration of the large merchant starts a poll.
  for (let place = 0; place < POLLS; place++)
    await shop.control('POST', '/disputes', { count: 1, account: accountOf(place) })
  const small = await fixture.dueIntegrations(SMALL)
  await sql`update integration i set next_poll_at = now() - interval '1 hour' + make_interval(secs => n)
    from unnest(${large}::uuid[]) with ordinality as l (id, n) where i.integration_id = l.id`.execute(db)
  const ofLarge = new Set(large)
  const running = new Set<string>()
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  shop.hooks.atFaultPoint = async (point, about = '') => {
    if (point !== 'poll.before_page' || !ofLarge.has(about)) return
    running.add(about)
    await released
  }
  const leased = async () =>
    (await db.selectFrom('integration').select('integration_id').where('lease_owner', 'is not', null).execute()).length
  const seen = { running: 0, leased: 0 }

  await fixture.shardUntil(
    'the small merchants are polled',
    async () => {
      if (running.size < POLLS || !(await fixture.allPolled(small)())) return false
      Object.assign(seen, { running: running.size, leased: await leased() })
      // Leases of the small merchants are released in a batch.
      if (seen.leased > LEASES) return false
      release()
      return true
    },
    { ...PACE, heartbeatMs: 60_000 },
  )
  expect(seen).toEqual({ running: POLLS, leased: LEASES })
})

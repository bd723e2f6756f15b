import { performance } from 'node:perf_hooks'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { eventLoopIsBusy } from '../../../../process/event-loop.ts'
import { fillIntegrations } from '../../../faults/dispatch/many-integrations.ts'
import { until } from '../../../harness/until.ts'
import { keepBusy } from '../../../unit/process/fixtures/keep-busy.ts'
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
let stopBeingBusy = () => {}
afterEach(async () => {
  stopBeingBusy()
  await fixture.clear()
})

test('a shard of a busy process begins four polls, and more if those have taken a second', async () => {
  const ids = await fixture.dueIntegrations(8)
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const begun: number[] = []
  fixture.shop.hooks.atFaultPoint = async (point) => {
    if (point !== 'poll.before_page') return
    begun.push(performance.now())
    if (begun.length === ids.length) release()
    await released
  }
  stopBeingBusy = keepBusy()
  await until('the process is busy', eventLoopIsBusy)
  const startedAt = performance.now()
  await fixture.shardUntil('all are polled', fixture.allPolled(ids))
  expect(begun).toHaveLength(ids.length)
  expect(begun[4]).toBeGreaterThanOrEqual(startedAt + 1_000)
})

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

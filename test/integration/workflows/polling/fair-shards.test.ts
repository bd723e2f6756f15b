import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fillIntegrations } from '../../../faults/dispatch/many-integrations.ts'
import { openShardScene, PACE } from './shard-scene.ts'

/** More than a shard leases at once, and all due for longer than those of the others. */
const LARGE = 300
const SMALL = 10
/** Of one merchant in a shard: polls at once, and leases. */
const PLACES = 4
const LEASES = 50

let scene: Awaited<ReturnType<typeof openShardScene>>
beforeAll(async () => {
  scene = await openShardScene()
})
afterAll(() => scene[Symbol.asyncDispose]())

test('a merchant whose polls never end takes four of a shard’s places and fifty leases: the others are polled', async () => {
  const { shop } = scene
  const { db, ring } = shop
  const { account_id: accountId } = await db.selectFrom('account').select('account_id').executeTakeFirstOrThrow()
  const accountOf = (place: number) => `acct_large${place}`
  const large = await fillIntegrations(db, ring, { accountId, count: LARGE, merchants: 1, accountOf })
  // No more of them begin.
  for (let place = 0; place < PLACES; place++)
    await shop.control('POST', '/disputes', { count: 1, account: accountOf(place) })
  const small = await scene.dueIntegrations(SMALL)
  await sql`update integration i set next_poll_at = now() - interval '1 hour' + make_interval(secs => n)
    from unnest(${large}::uuid[]) with ordinality as l (id, n) where i.integration_id = l.id`.execute(db)
  const ofLarge = new Set(large)
  const inHand = new Set<string>()
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  shop.hooks.reached = async (point, about = '') => {
    if (point !== 'poll.before_page' || !ofLarge.has(about)) return
    inHand.add(about)
    await released
  }
  const leased = async () =>
    (await db.selectFrom('integration').select('integration_id').where('lease_owner', 'is not', null).execute()).length
  const seen = { inHand: 0, leased: 0 }

  await scene.shardUntil(
    'the small merchants are polled',
    async () => {
      if (inHand.size < PLACES || !(await scene.allPolled(small)())) return false
      Object.assign(seen, { inHand: inHand.size, leased: await leased() })
      // Those of the small merchants are given back together.
      if (seen.leased > LEASES) return false
      release()
      return true
    },
    { ...PACE, heartbeatMs: 60_000 },
  )
  expect(seen).toEqual({ inHand: PLACES, leased: LEASES })
})

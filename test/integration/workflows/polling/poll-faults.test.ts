import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { storeNotification } from '../../../../db/polling/notifications.ts'
import { requestReread } from '../../../../db/polling/rereads.ts'
import { stripeSimulator } from '../../../../simulators/stripe/index.ts'
import { byOwner } from '../../../harness/database.ts'
import { openPollingFixture } from '../polling-fixture.ts'

/** Faults that affect only one dispute, or only Recoup. */
let workshop: Awaited<ReturnType<typeof openPollingFixture>>
let shop: Awaited<ReturnType<typeof workshop.merchantOf>>
beforeAll(async () => {
  workshop = await openPollingFixture()
  shop = await workshop.merchantOf(stripeSimulator.profile.homeAccount)
})
afterAll(() => workshop[Symbol.asyncDispose]())

let refs: string[]
beforeEach(async () => {
  const { disputes } = await workshop.control('POST', '/disputes', {
    ...{ count: 2, status: 'needs_response', ageDays: 0.01 },
  })
  refs = disputes.map((one: { ref: string }) => one.ref)
  await shop.poll()
})

const chargebacks = async () => {
  const all = await shop.all()
  return refs.map((ref) => all.find((one) => one.chargeback_id === ref))
}

describe('a poll', () => {
  test('that may not read one dispute postpones only that one: only the list can fail the credential', async () => {
    const { db } = workshop
    await requestReread(db, shop.integrationId, refs)
    await workshop.control('POST', '/faults', { kind: '403', count: 10, match: { path: `/v1/disputes/${refs[0]}` } })
    await shop.poll()
    await workshop.control('DELETE', '/faults')
    const row = await db.selectFrom('integration').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({ authentication_failures: 0, poll_error: null })
    expect(await db.selectFrom('reread').select(['reference', 'attempts']).execute()).toEqual([
      { reference: refs[0], attempts: 1 },
    ])
  })
})

describe('transactions of disputes', () => {
  test.each([
    [
      'cannot be decrypted',
      (ref: string) => sql`update raw_object set sealed = 'v1:gone:AAAA' where kind = 'dispute' and reference = ${ref}`,
    ],
    [
      'is refused by the database',
      (ref: string) =>
        sql.raw(`alter table chargeback add constraint bad check (chargeback_id <> '${ref}' or not is_enriched)`),
    ],
  ])('are stored even if one dispute %s: only that one is postponed', async (_, corrupt) => {
    await byOwner(workshop.databaseUrl, corrupt(refs[0] as string))
    await shop.enrich()
    expect(await chargebacks()).toMatchObject([
      { is_enriched: false, context_attempts: 1 },
      { is_enriched: true, context_attempts: 0 },
    ])
  })
})

test('our own rate limit stops a poll but blocks no account, because the PSP requested no pause', async () => {
  const { db } = workshop
  await sql`update rate_bucket set tokens = -10000, refilled_at = clock_timestamp(), blocked_until = null`.execute(db)
  await shop.poll()
  expect(await db.selectFrom('rate_bucket').select('blocked_until').execute()).toEqual([{ blocked_until: null }])
})

test('a notification about a paused integration is stored for later and starts no poll', async () => {
  const { db, ring } = workshop
  const { integrationId } = shop
  const polls = () => db.selectFrom('outbox').selectAll().where('kind', '=', 'poll_now').execute()
  const notify = (notificationId: string) =>
    storeNotification(
      db,
      ring,
      { integrationId, notificationId, type: 'any', references: ['du_1'], body: '{}' },
      { reread: true },
    )
  await db.updateTable('integration').set({ paused: true }).execute()
  await notify('first')
  expect(await polls()).toEqual([])
  expect(await db.selectFrom('reread').select('reference').where('reference', '=', 'du_1').execute()).toHaveLength(1)
  await db.updateTable('integration').set({ paused: false }).execute()
  await notify('second')
  expect(await polls()).toHaveLength(1)
})

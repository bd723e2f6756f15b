import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adapterFor } from '../../../../adapters/registry.ts'
import { loadConnection } from '../../../../db/integrations/connections.ts'
import { readBeforehand } from '../../../../db/polling/beforehand.ts'
import { takeLease } from '../../../../db/polling/lease.ts'
import { stripeSimulator } from '../../../../simulators/stripe/index.ts'
import { storeReading } from '../../../../workflows/activities/commands/reading.ts'
import type { ActivityDeps } from '../../../../workflows/activities/deps.ts'
import { until } from '../../../harness/until.ts'
import { openPollingFixture } from '../polling-fixture.ts'

let workshop: Awaited<ReturnType<typeof openPollingFixture>>
beforeAll(async () => {
  workshop = await openPollingFixture()
})
afterAll(() => workshop[Symbol.asyncDispose]())

let accounts = 0
/** An integration of an account with `count` disputes, polled once. */
async function polled(count: number, order: object = { status: 'under_review' }) {
  const account = `acct_unchanged${++accounts}`
  const { disputes } = await workshop.control('POST', '/disputes', { count, account, ...order })
  const shop = await workshop.merchantOf(account)
  await shop.poll()
  const pages = () =>
    workshop.db
      .selectFrom('list_page')
      .select(['page_key', 'stored_at', 'objects'])
      .where('integration_id', '=', shop.integrationId)
      .orderBy('page_key')
      .execute()
  const refs = (disputes as { ref: string }[]).map((one) => one.ref)
  const named = async (ref: string) => (await shop.all()).find((one) => one.chargeback_id === ref)
  return { ...shop, account, refs, pages, named }
}
const patch = (ref: string, fields: object) => workshop.control('PATCH', `/disputes/${ref}`, fields)

describe('a page of a list that is unchanged', () => {
  test('takes no statement: six pages take as many as one', async () => {
    const [small, large] = [await polled(90), await polled(530)]
    expect((await large.pages()).reduce((sum, page) => sum + page.objects, 0)).toBe(530)
    // The last page may differ now: the scan reaches back to the oldest open dispute.
    for (const one of [small, large]) await one.poll()
    const [before, five, six] = [await large.pages(), await small.poll(), await large.poll()]
    expect(six).toBe(five)
    expect(await large.pages()).toEqual(before)
    expect(workshop.heartbeats.at(-1)).toMatchObject({ seen: 500 })
  })

  test('is known to a poll that waits for its place, unless the integration has too many', async () => {
    const [small, large] = [await polled(90), await polled(530)]
    const pages = (await large.pages()).length
    const known = async (most: number) => {
      const ids = [small.integrationId, large.integrationId]
      return [...(await readBeforehand(workshop.db, ids, most))].map(([id, one]) => [id, one.pages.length])
    }
    expect(new Map((await known(pages)) as [string, number][])).toEqual(
      new Map([
        [small.integrationId, 1],
        [large.integrationId, pages],
      ]),
    )
    expect(await known(pages - 1)).toEqual([[small.integrationId, 1]])
  })

  test('hides no new and no changed dispute, and a new dispute shifts no older page', async () => {
    const shop = await polled(330)
    const before = await shop.pages()
    const [row] = (await shop.all()).toSorted((a, b) => Number(a.posting_date) - Number(b.posting_date))
    const oldest = row?.chargeback_id ?? ''
    // The simulator chooses the reason at random.
    const reason = row?.reason === 'product_not_received' ? 'duplicate' : 'product_not_received'
    await patch(oldest, { fields: { reason } })
    await workshop.control('POST', '/disputes', { count: 1, account: shop.account, ageDays: 0.0125 })
    await shop.poll()
    expect(await shop.all()).toHaveLength(331)
    expect(await shop.named(oldest)).toMatchObject({ reason })
    const stored = (page: { page_key: string }) => before.find((one) => one.page_key === page.page_key)?.stored_at
    const same = (await shop.pages()).filter((page) => stored(page)?.getTime() === page.stored_at.getTime())
    expect(same.length).toBe(before.length - 2)
  })

  test('is compared when one of its disputes is due to be read again', async () => {
    const shop = await polled(3)
    const before = new Date(0)
    await workshop.db.updateTable('chargeback').set({ reread_after: before }).execute()
    await workshop.db.updateTable('list_page').set({ due_at: before }).execute()
    await shop.poll()
    for (const row of await shop.all()) expect(row.reread_after?.getTime()).toBeGreaterThan(Date.now())
  })

  test('is read again for a newer translation', async () => {
    const shop = await polled(3)
    await workshop.db.updateTable('chargeback').set({ translation_version: 0, reason: 'older' }).execute()
    await workshop.db.updateTable('list_page').set({ translation_version: 0 }).execute()
    await shop.poll()
    for (const row of await shop.all()) expect(row.reason).not.toBe('older')
  })

  test('is compared after one of its disputes was read individually: the PSP may revert it', async () => {
    const shop = await polled(3)
    const [reference = ''] = shop.refs
    const { object } = await workshop.control('GET', `/disputes/${reference}`)
    const connection = await loadConnection(workshop.db, shop.integrationId)
    const definition = adapterFor('stripe', stripeSimulator.secretType)
    if (!connection || !definition) throw new Error('the integration is missing')
    const deps = { db: workshop.db, ring: workshop.ring, now: () => new Date() } as unknown as ActivityDeps
    const text = JSON.stringify({ ...object, status: 'needs_response' })
    await storeReading(deps, connection, definition, { reference, text }, new Date())
    expect(await shop.named(reference)).toMatchObject({ psp_status: 'needs_response' })
    await shop.poll()
    expect(await shop.named(reference)).toMatchObject({ psp_status: 'under_review' })
  })

  test('is compared in each poll while one of its objects is in quarantine', async () => {
    const shop = await polled(3)
    await workshop.control('POST', '/disputes', { count: 1, account: shop.account, malformed: 'amount_text' })
    await shop.poll()
    expect(await shop.pages()).toEqual([])
  })
})

describe('a lease that is lost between the read and the write of a page', () => {
  test('leaves the page to the other poll, and cursor and rows unchanged', async () => {
    const account = 'acct_lost'
    await workshop.control('POST', '/disputes', { count: 250, account, status: 'under_review' })
    const shop = await workshop.merchantOf(account)
    // The second page is read while the first one is stored.
    const { id } = await workshop.control('POST', '/holds', {
      match: { path: '/v1/disputes', method: 'GET' },
      count: 1,
    })
    const poll = shop.poll().catch((error: Error) => error.name)
    await until(
      'the PSP has the request',
      async () => (await workshop.control('GET', `/holds/${id}`)).held.length === 1,
    )
    await workshop.db
      .updateTable('integration')
      .set({ lease_until: new Date(0) })
      .execute()
    expect(await takeLease(workshop.db, shop.integrationId, 'another poll')).not.toBeNull()
    await workshop.control('DELETE', `/holds/${id}`)
    expect(await poll).toBe('LeaseLost')
    expect(await shop.all()).toEqual([])
    const row = await workshop.db
      .selectFrom('integration')
      .select(['cursor', 'lease_owner', 'poll_error'])
      .where('integration_id', '=', shop.integrationId)
      .executeTakeFirst()
    expect(row).toEqual({ cursor: null, lease_owner: 'another poll', poll_error: null })
    expect(
      await workshop.db
        .selectFrom('list_page')
        .select('page_key')
        .where('integration_id', '=', shop.integrationId)
        .execute(),
    ).toEqual([])
  })
})

import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asOwner } from '../../../harness/database.ts'
import { until } from '../../../harness/until.ts'
import { openPollingFixture } from '../polling-fixture.ts'

let fixture: Awaited<ReturnType<typeof openPollingFixture>>
beforeAll(async () => {
  fixture = await openPollingFixture({ faultPoints: true })
})
afterAll(() => fixture[Symbol.asyncDispose]())

async function merchantWith(account: string, count: number) {
  await fixture.control('POST', '/disputes', { count, account, status: 'needs_response', stage: 'chargeback' })
  return fixture.merchantOf(account)
}
const begins = () => fixture.statements().filter((text) => text === 'begin').length
const stores = () => fixture.statements().filter((text) => text.includes('insert into chargeback as c')).length
const forms = async (integrationId: string) =>
  (
    await fixture.db.selectFrom('raw_object').select('sealed').where('integration_id', '=', integrationId).execute()
  ).map(({ sealed }) => sealed.slice(0, 3))

describe('a page of a list', () => {
  test('is stored by one statement, outside of a transaction', async () => {
    const merchant = await merchantWith('acct_once', 250)
    const { created, pages } = await merchant.pollCounted()
    expect([created, pages, stores(), begins()]).toEqual([250, 3, 3, 0])
    const [first] = await merchant.all()
    expect(await merchant.events(first?.id ?? '')).toEqual(['stripe: ingested'])
    // The next poll compares none of them.
    expect(await merchant.pollCounted()).toMatchObject({ seen: 250, created: 0 })
    expect(stores()).toBe(0)
  })

  test('is stored in a transaction if the merchant has sent a transaction record', async () => {
    const merchant = await merchantWith('acct_records', 3)
    await merchant.addTransaction('order-1', { transactionOrderDeviceId: 'device-1' })
    expect(await merchant.pollCounted()).toMatchObject({ created: 3 })
    expect([stores(), begins()]).toEqual([1, 1])
  })

  test('is stored by one statement with its malformed objects, and again while they stay in quarantine', async () => {
    const account = 'acct_malformed'
    const merchant = await merchantWith(account, 3)
    const { integrationId } = merchant
    await fixture.control('POST', '/disputes', { count: 1, account, malformed: 'amount_text' })
    const kept = () =>
      fixture.db.selectFrom('quarantine').selectAll().where('integration_id', '=', integrationId).execute()
    expect(await merchant.pollCounted()).toMatchObject({ created: 3, quarantined: 1 })
    expect([stores(), begins()]).toEqual([1, 0])
    const [first] = await kept()
    expect(first).toMatchObject({ seen: 1, sealed: expect.stringMatching(/^v1\./) })

    expect(await merchant.pollCounted()).toMatchObject({ created: 0, quarantined: 1 })
    expect([stores(), begins()]).toEqual([1, 0])
    expect(await kept()).toEqual([{ ...first, seen: 2, last_seen_at: expect.any(Date) }])

    // As if it was malformed when it was read before: it leaves the quarantine with the statement that stores it.
    const reference = (await merchant.all())[0]?.chargeback_id ?? ''
    await sql`insert into quarantine (integration_id, hash, reference, reason, sealed, translation_version)
      values (${integrationId}, '\\x00', ${reference}, 'test', 'v1.', 0)`.execute(fixture.db)
    const unread = { content_hash: Buffer.alloc(32) }
    await fixture.db.updateTable('chargeback').set(unread).where('chargeback_id', '=', reference).execute()
    expect(await merchant.pollCounted()).toMatchObject({ quarantined: 1 })
    expect([stores(), begins()]).toEqual([1, 0])
    expect(await kept()).toEqual([{ ...first, seen: 3, last_seen_at: expect.any(Date) }])
  })

  test('writes nothing at once if a record was sent after the poll began', async () => {
    const merchant = await merchantWith('acct_late', 3)
    fixture.hooks.atFaultPoint = async (point, about) => {
      if (point !== 'poll.before_page' || about !== merchant.integrationId) return
      await merchant.addTransaction('order-2', { transactionOrderDeviceId: 'device-2' })
    }
    expect(await merchant.pollCounted()).toMatchObject({ created: 3 })
    // The record is stored in a transaction of its own.
    expect([stores(), begins()]).toEqual([2, 2])
    fixture.hooks.atFaultPoint = async () => {}
  })

  test('writes nothing at once if a person is erased while the statement waits for its integration', async () => {
    const merchant = await merchantWith('acct_erased', 3)
    const { integrationId } = merchant
    const [removal, watcher] = [1, 2].map(() => new pg.Client(asOwner(fixture.databaseUrl))) as [pg.Client, pg.Client]
    await Promise.all([removal.connect(), watcher.connect()])
    fixture.hooks.atFaultPoint = async (point, about) => {
      if (point !== 'poll.before_page' || about !== integrationId) return
      fixture.hooks.atFaultPoint = async () => {}
      await removal.query('begin')
      await removal.query('update integration set erasures = erasures + 1 where integration_id = $1', [integrationId])
      const waits = async () =>
        (await watcher.query('select from pg_locks where not granted and locktype = $1', ['transactionid'])).rowCount
      void until('the page waits for the row', waits, { holds: (count) => count !== 0 }).then(() =>
        removal.query('commit'),
      )
    }
    expect(await merchant.pollCounted()).toMatchObject({ created: 3 })
    expect([stores(), begins()]).toEqual([2, 1])
    await Promise.all([removal.end(), watcher.end()])
  })
})

describe('objects of PSPs', () => {
  test('are compressed where the database says so, and read again either way', async () => {
    const owner = new pg.Client(asOwner(fixture.databaseUrl))
    await owner.connect()
    const merchant = await merchantWith('acct_forms', 2)
    await merchant.poll()
    expect(await forms(merchant.integrationId)).toEqual(['v2.', 'v2.'])
    await owner.query('update deployment set compresses = false')
    await fixture.control('POST', '/disputes', { count: 1, account: 'acct_forms', status: 'needs_response' })
    await merchant.poll()
    await owner.query('update deployment set compresses = true')
    await owner.end()
    expect((await forms(merchant.integrationId)).sort()).toEqual(['v1.', 'v2.', 'v2.'])
    await merchant.enrich()
    expect((await merchant.all()).every(({ is_enriched }) => is_enriched)).toBe(true)
  })
})

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

  test('writes nothing at once if a record was sent, or something put into quarantine, after the poll began', async () => {
    for (const happens of ['record', 'quarantine'] as const) {
      const merchant = await merchantWith(`acct_late_${happens}`, 3)
      const { integrationId } = merchant
      fixture.hooks.atFaultPoint = async (point, about) => {
        if (point !== 'poll.before_page' || about !== integrationId) return
        if (happens === 'record') await merchant.addTransaction('order-2', { transactionOrderDeviceId: 'device-2' })
        else
          await sql`insert into quarantine (integration_id, hash, reason, sealed, translation_version)
            values (${integrationId}, '\\x00', 'test', 'v1.', 0) on conflict do nothing`.execute(fixture.db)
      }
      expect(await merchant.pollCounted()).toMatchObject({ created: 3 })
      // A record is stored in a transaction of its own.
      expect([happens, stores(), begins()]).toEqual([happens, 2, happens === 'record' ? 2 : 1])
      fixture.hooks.atFaultPoint = async () => {}
    }
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

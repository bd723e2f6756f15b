import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { adapterFor } from '../../../../adapters/registry.ts'
import { loadConnection } from '../../../../db/integrations/connections.ts'
import { createIngestion } from '../../../../db/polling/ingestions.ts'
import { stripeSimulator } from '../../../../simulators/stripe/index.ts'
import { storeReading, tryStoreReading } from '../../../../workflows/activities/commands/reading.ts'
import type { ActivityDeps } from '../../../../workflows/activities/deps.ts'
import { until } from '../../../harness/until.ts'
import { openPollingFixture } from '../polling-fixture.ts'

/** A chargeback whose dispute the PSP decided after the poll, and functions that store a read of it. */
async function decided(workshop: Awaited<ReturnType<typeof openPollingFixture>>) {
  const { db, ring } = workshop
  const { disputes } = await workshop.control('POST', '/disputes', {
    count: 1,
    status: 'needs_response',
    ageDays: 0.01,
  })
  const reference = disputes[0].ref as string
  const shop = await workshop.merchantOf(stripeSimulator.profile.homeAccount)
  await shop.poll()
  const read = async () => JSON.stringify((await workshop.control('GET', `/disputes/${reference}`)).object)
  const early = { text: await read(), at: new Date() }
  await workshop.control('POST', `/disputes/${reference}/decide`, { outcome: 'lost' })
  const late = { text: await read(), at: new Date() }
  const connection = await loadConnection(db, shop.integrationId)
  const definition = adapterFor('stripe', stripeSimulator.secretType)
  if (!connection || !definition) throw new Error('the integration is missing')
  const deps = { db, ring, now: () => new Date(), log: { warn() {} } } as unknown as ActivityDeps
  const store = ({ text, at }: typeof early) => storeReading(deps, connection, definition, { reference, text }, at)
  /** Stores what a command read, with a date that Postgres cannot store. */
  const keep = ({ text, at }: typeof early) => {
    const toChargeback: typeof definition.toChargeback = (raw) => {
      const read = definition.toChargeback(raw)
      if (read.kind === 'chargeback') read.facts.postingDate = '0000-01-01T00:00:00Z'
      return read
    }
    return tryStoreReading(deps, connection, { ...definition, toChargeback }, { reference, text }, at)
  }
  return { shop, early, late, store, keep }
}

describe('a dispute that is read individually', () => {
  test('is stored although its chargeback changes between the read and the write of the row', async () => {
    await using workshop = await openPollingFixture()
    const { db } = workshop
    const { shop, late, store } = await decided(workshop)
    const before = await shop.one()
    const reading = await db.transaction().execute(async (trx) => {
      await trx.updateTable('chargeback').set({ version: sql`version + 1` }).where('id', '=', before.id).execute()
      const storing = store(late)
      await until('the write waits for this transaction', async () => {
        const { rows } = await sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
        return rows.length > 0
      })
      return { storing }
    })
    await reading.storing
    expect(await shop.one()).toMatchObject({ psp_status: 'lost', version: before.version + 2n })
  })

  test('never replaces a later read', async () => {
    await using workshop = await openPollingFixture()
    const { shop, early, late, store } = await decided(workshop)
    await store(late)
    const before = await shop.one()
    await store(early)
    expect(await shop.one()).toEqual(before)
    expect(before.psp_status).toBe('lost')
  })

  test('does not block a command with a value that the database refuses: the chargeback stays unchanged', async () => {
    await using workshop = await openPollingFixture()
    const { shop, late, keep } = await decided(workshop)
    const before = await shop.one()
    await keep(late)
    expect(await shop.one()).toEqual(before)
  })

  test('fails at once, without retries, if it is posted with such a value', async () => {
    await using workshop = await openPollingFixture()
    const { db, ring } = workshop
    const { merchantUuid, integrationId } = await workshop.merchantOf(stripeSimulator.profile.homeAccount)
    const { ingestionId } = await createIngestion(db, ring, {
      ...{ merchantUuid, integrationId, credentialId: merchantUuid, dataSource: 'stripe', dataSourceVersion: '1' },
      ...{ dataType: 'chargebacks', reference: 'cb-1', about: [], requestTimeStamp: new Date() },
      text: JSON.stringify({
        ...{ chargebackId: 'cb-1', currency: 'EUR', amount: 10.99, postingDate: '0000-01-01T00:00:00Z' },
        ...{ dueDate: '2030-02-14T23:59:59Z', pspStatus: 'needs_response', lifecycleStage: 'chargeback' },
      }),
    })
    expect(await workshop.applyRawData(ingestionId)).toEqual({ status: 'failed' })
  })
})

test('a poll sends a heartbeat with each response of a slow PSP, so that a page does not time out', async () => {
  await using workshop = await openPollingFixture()
  await workshop.control('POST', '/disputes', { count: 3, status: 'needs_response', ageDays: 0.01 })
  const shop = await workshop.merchantOf(stripeSimulator.profile.homeAccount)
  await shop.poll()
  expect(await shop.all()).toHaveLength(3)
  // All are on one page, so that a heartbeat between pages would come too late.
  expect(workshop.heartbeats).toContainEqual({ pages: 0, seen: 0 })
})

test('a poll that fails releases its lease, so that the next one does not wait for it', async () => {
  await using workshop = await openPollingFixture()
  const shop = await workshop.merchantOf(stripeSimulator.profile.homeAccount)
  await workshop.control('POST', '/faults', { kind: '503_empty', count: 1, match: { path: '/v1/disputes' } })
  await expect(shop.poll()).rejects.toThrow()
  const row = await workshop.db.selectFrom('integration').selectAll().executeTakeFirstOrThrow()
  expect(row).toMatchObject({ lease_owner: null, lease_until: null, poll_error: expect.stringContaining('Stripe') })
})

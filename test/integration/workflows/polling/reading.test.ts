import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { adapterFor } from '../../../../adapters/registry.ts'
import { loadConnection } from '../../../../db/integrations/connections.ts'
import { createIngestion } from '../../../../db/polling/ingestions.ts'
import { stripeSimulator } from '../../../../simulators/stripe/index.ts'
import { storeReading, tryStoreReading } from '../../../../workflows/activities/commands/reading.ts'
import type { ActivityDeps } from '../../../../workflows/activities/deps.ts'
import { until } from '../../../harness/until.ts'
import { openPollingScene } from '../polling-scene.ts'

/** A chargeback of a dispute that the PSP has decided since, and a way to store what is read of it. */
async function decided(workshop: Awaited<ReturnType<typeof openPollingScene>>) {
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
  if (!connection || !definition) throw new Error('the integration is gone')
  const deps = { db, ring, now: () => new Date(), log: { warn() {} } } as unknown as ActivityDeps
  const store = ({ text, at }: typeof early) => storeReading(deps, connection, definition, { reference, text }, at)
  /** What a command reads, of a PSP that says a day which Postgres has no place for. */
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

describe('a dispute that is read on its own', () => {
  test('is stored although its chargeback was changed between the reading of the row and its writing', async () => {
    await using workshop = await openPollingScene()
    const { db } = workshop
    const { shop, late, store } = await decided(workshop)
    const before = await shop.one()
    const reading = await db.transaction().execute(async (trx) => {
      await trx.updateTable('chargeback').set({ version: sql`version + 1` }).where('id', '=', before.id).execute()
      const storing = store(late)
      await until('the writing waits for this transaction', async () => {
        const { rows } = await sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
        return rows.length > 0
      })
      return { storing }
    })
    await reading.storing
    expect(await shop.one()).toMatchObject({ psp_status: 'lost', version: before.version + 2n })
  })

  test('never takes the place of what was read after it', async () => {
    await using workshop = await openPollingScene()
    const { shop, early, late, store } = await decided(workshop)
    await store(late)
    const before = await shop.one()
    await store(early)
    expect(await shop.one()).toEqual(before)
    expect(before.psp_status).toBe('lost')
  })

  test('holds no command back with a value that the database refuses: the chargeback stays as it was', async () => {
    await using workshop = await openPollingScene()
    const { shop, late, keep } = await decided(workshop)
    const before = await shop.one()
    await keep(late)
    expect(await shop.one()).toEqual(before)
  })

  test('posted with such a value it fails, once: it is not tried for ever', async () => {
    await using workshop = await openPollingScene()
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

test('a poll that the PSP answers slowly shows progress with each answer: it is not taken for dead in mid-page', async () => {
  await using workshop = await openPollingScene()
  await workshop.control('POST', '/disputes', { count: 3, status: 'needs_response', ageDays: 0.01 })
  const shop = await workshop.merchantOf(stripeSimulator.profile.homeAccount)
  await shop.poll()
  expect(await shop.all()).toHaveLength(3)
  // All on one page, between which and the next there would have been the first sign of life.
  expect(workshop.heartbeats).toContainEqual({ pages: 0, seen: 0 })
})

test('a poll that fails gives its lease back: whoever comes next does not wait for it', async () => {
  await using workshop = await openPollingScene()
  const shop = await workshop.merchantOf(stripeSimulator.profile.homeAccount)
  await workshop.control('POST', '/faults', { kind: '503_empty', count: 1, match: { path: '/v1/disputes' } })
  await expect(shop.poll()).rejects.toThrow()
  const row = await workshop.db.selectFrom('integration').selectAll().executeTakeFirstOrThrow()
  expect(row).toMatchObject({ lease_owner: null, lease_until: null, poll_error: expect.stringContaining('Stripe') })
})

import { MockActivityEnvironment } from '@temporalio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adapterFor } from '../../../adapters/registry.ts'
import { type RunningSimulator, startSimulator } from '../../../adapters/simulator/serve.ts'
import { stripeSimulator } from '../../../adapters/stripe/simulator.ts'
import { createAccount } from '../../../db/accounts.ts'
import { connect } from '../../../db/connect.ts'
import { recordVerdict } from '../../../db/connections.ts'
import { createIntegration } from '../../../db/integrations.ts'
import { createMerchant } from '../../../db/merchants.ts'
import { readKeyRing } from '../../../db/seal.ts'
import { readTimeline } from '../../../db/timeline.ts'
import { upsertTransaction } from '../../../db/transactions.ts'
import { createActivities } from '../../../workflows/activities/index.ts'
import { connectLazily } from '../../../workflows/temporal.ts'
import { createDatabase, type TestDatabase } from '../../harness/database.ts'

let database: TestDatabase
let simulator: RunningSimulator
let db: ReturnType<typeof connect>
let statements = 0
const ring = readKeyRing(`k:${Buffer.alloc(32, 7).toString('base64')}`)

beforeAll(async () => {
  database = await createDatabase()
  simulator = await startSimulator(stripeSimulator)
  db = connect(database.url, { max: 3 })
  db.pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = ((...args: unknown[]) => {
      if (!String((args[0] as { text?: string }).text ?? args[0]).includes('rate_bucket')) statements++
      return query(...args)
    }) as typeof client.query
  })
})
afterAll(async () => {
  await db.destroy()
  await simulator[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

async function newDisputes(account: string, count: number): Promise<void> {
  const order = { count, account, status: 'needs_response', stage: 'chargeback', dueInHours: 400 }
  await fetch(`${simulator.controlUrl}/disputes`, { method: 'POST', body: JSON.stringify(order) })
}

/** A merchant with an integration of that account, and the activities of its poll. */
async function merchantOf(account: string) {
  const { accountId } = await createAccount(db, { name: account })
  const contact = { email: 'a@example.com', firstName: 'A', lastName: 'B' }
  const { merchantUuid } = await createMerchant(db, ring, {
    accountId,
    merchantName: 'M',
    websiteUrl: 'https://m.example.com',
    contact,
  })
  const { integrationId } = await createIntegration(db, ring, {
    merchantUuid,
    source: 'stripe',
    integrationName: 'S',
    externalIdentifier: account,
    secretType: 'APIKEY_ONLY',
    secretPayload: stripeSimulator.secretPayload,
  })
  await recordVerdict(db, integrationId, {
    status: 'SUCCESSFUL',
    reason: null,
    pspAccount: stripeSimulator.profile.homeAccount,
  })
  const pace = { commandMs: 5_000, heartbeatMs: 5_000, recheckMs: 1_000, retryMs: 100 }
  const activities = createActivities({
    db,
    ring,
    temporal: connectLazily('127.0.0.1:1', 'none'),
    adapterFor,
    environment: 'sandbox',
    baseUrls: { stripe: simulator.url },
    polling: { intervalSeconds: 60, pace },
    log: { info() {}, warn() {} },
    now: () => new Date(),
    counted() {},
    async reached() {},
  })
  const run = async (activity: (input: { integrationId: string }) => Promise<unknown>) => {
    const before = statements
    await new MockActivityEnvironment().run(activity, { integrationId })
    return statements - before
  }
  const all = () =>
    db.selectFrom('chargeback').selectAll().where('merchant_uuid', '=', merchantUuid).orderBy('chargeback_id').execute()
  return {
    merchantUuid,
    all,
    poll: () => run(activities.ingestPages),
    enrich: () => run(activities.enrichChargebacks),
    sweep: () => new MockActivityEnvironment().run(activities.mendJoins),
    tell: (transactionId: string, fields: object = order) =>
      upsertTransaction(db, ring, {
        merchantUuid,
        record: { transactionId, ...fields },
        now: new Date(),
        source: 'api',
      }),
    async events(chargebackId: string) {
      const events = await readTimeline(db, { merchantUuid, chargebackId })
      return events.map(({ source, what }) => `${source}: ${what}`)
    },
  }
}

const order = { transactionOrderDeviceId: 'device-1', transactionOrderSteamId: 'account-1' }

describe('transaction records that are there before their chargebacks', { retry: 0 }, () => {
  test('join as the chargebacks arrive, at a cost that their number does not change', async () => {
    await newDisputes('acct_joins', 60)
    const first = await merchantOf('acct_joins')
    const without = await first.poll()
    const ids = (await first.all()).map((one) => one.transaction_id as string)
    expect(new Set(ids).size).toBe(60)

    const [few, many] = [await merchantOf('acct_joins'), await merchantOf('acct_joins')]
    for (const id of ids.slice(0, 3)) await few.tell(id)
    for (const id of ids) await many.tell(id)
    const [three, sixty] = [await few.poll(), await many.poll()]
    expect((await few.all()).filter((one) => one.is_enriched)).toHaveLength(3)
    expect((await many.all()).filter((one) => one.is_enriched)).toHaveLength(60)
    // Statements that have nothing to write or to look for are left out: two of them at most.
    expect(Math.abs(sixty - three)).toBeLessThanOrEqual(2)
    expect(sixty - without).toBeLessThanOrEqual(10)

    const [one] = await many.all()
    expect(one?.data_points).toEqual(Object.keys(order))
    expect((await many.events(one?.id ?? '')).slice(0, 2)).toEqual(['stripe: ingested', 'stripe: transaction joined'])
    // A second poll brings nothing new and says nothing new.
    const before = await many.all()
    await many.poll()
    expect(await many.all()).toEqual(before)
  })

  test('stay joined beside what the PSP’s own transaction brings', async () => {
    await newDisputes('acct_union', 1)
    const merchant = await merchantOf('acct_union')
    await merchant.poll()
    const [fresh] = await merchant.all()
    await merchant.tell(fresh?.transaction_id as string)
    await merchant.enrich()
    const [enriched] = await merchant.all()
    expect(enriched?.context_points.length).toBeGreaterThan(0)
    expect(enriched?.data_points).toEqual(
      [...new Set([...Object.keys(order), ...(enriched?.context_points ?? [])])].sort(),
    )
    expect(await merchant.events(fresh?.id as string)).toEqual(expect.arrayContaining(['stripe: enriched']))
    await merchant.tell(fresh?.transaction_id as string, { transactionOrderDeviceId: '', transactionOrderSteamId: '' })
    const [left] = await merchant.all()
    expect(left?.data_points).toEqual([...(enriched?.context_points ?? [])].sort())
    expect(left?.is_enriched).toBe(true)
  })

  test('are joined by the reconciler when the two were stored at the same moment', async () => {
    await newDisputes('acct_missed', 1)
    const merchant = await merchantOf('acct_missed')
    await merchant.poll()
    const [chargeback] = await merchant.all()
    const id = chargeback?.id as string
    await merchant.tell(chargeback?.transaction_id as string)
    // As if neither had seen the other.
    await db.updateTable('chargeback').set({ is_enriched: false, data_points: [] }).where('id', '=', id).execute()
    await merchant.sweep()
    const [mended] = await merchant.all()
    expect(mended).toMatchObject({ is_enriched: true, data_points: Object.keys(order) })
    expect((await merchant.events(id)).filter((event) => event === 'reconciler: transaction joined')).toHaveLength(1)
  })
})

import { MockActivityEnvironment } from '@temporalio/testing'
import { adapterFor } from '../../../adapters/registry.ts'
import { readTimeline } from '../../../db/chargebacks/timeline.ts'
import { upsertTransaction } from '../../../db/chargebacks/transactions.ts'
import { connect } from '../../../db/core/connect.ts'
import { readKeyRing } from '../../../db/core/seal.ts'
import { recordVerdict } from '../../../db/integrations/connections.ts'
import { createIntegration } from '../../../db/integrations/integrations.ts'
import { createAccount } from '../../../db/merchants/accounts.ts'
import { createMerchant } from '../../../db/merchants/merchants.ts'
import { startSimulator } from '../../../simulators/engine/serve.ts'
import { stripeSimulator } from '../../../simulators/stripe/index.ts'
import { createActivities } from '../../../workflows/activities/index.ts'
import { connectLazily } from '../../../workflows/starters/temporal.ts'
import { createDatabase } from '../../harness/database.ts'
import { fileProcesses } from '../../harness/file-processes.ts'

/** A worker's activities over a database and a simulated Stripe, called one by one: no Temporal, nothing runs by itself. */
export async function openWorkshop() {
  const database = await createDatabase()
  const simulator = await startSimulator(stripeSimulator)
  const ring = readKeyRing(`k:${Buffer.alloc(32, 7).toString('base64')}`)
  const db = connect(database.url, { scope: 'system', max: 3 })
  const clock = { now: () => new Date() }
  let statements = 0
  db.pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = ((...args: unknown[]) => {
      if (!String((args[0] as { text?: string }).text ?? args[0]).includes('rate_bucket')) statements++
      return query(...args)
    }) as typeof client.query
  })
  const activities = createActivities({
    db,
    ring,
    files: fileProcesses,
    temporal: connectLazily('127.0.0.1:1', 'none'),
    adapterFor,
    environment: 'sandbox',
    baseUrls: { stripe: simulator.url },
    polling: { intervalSeconds: 60, pace: { commandMs: 5_000, heartbeatMs: 5_000, recheckMs: 1_000, retryMs: 100 } },
    log: { info() {}, warn() {} },
    now: () => clock.now(),
    counted() {},
  })
  const heartbeats: unknown[] = []
  const run = <Result>(activity: (...args: never[]) => Promise<Result>, ...args: unknown[]) => {
    const environment = new MockActivityEnvironment()
    environment.on('heartbeat', (details) => heartbeats.push(details))
    return environment.run(activity as (...args: unknown[]) => Promise<Result>, ...args)
  }

  /** A merchant with an integration of that Stripe account. */
  async function merchantOf(account: string) {
    const { accountId } = await createAccount(db, { name: account })
    const { merchantUuid } = await createMerchant(db, ring, {
      accountId,
      merchantName: 'M',
      websiteUrl: 'https://m.example.com',
      contact: { email: 'a@example.com', firstName: 'A', lastName: 'B' },
    })
    const { integrationId } = await createIntegration(db, ring, {
      merchantUuid,
      source: 'stripe',
      integrationName: 'S',
      externalIdentifier: account,
      secretType: 'APIKEY_ONLY',
      secretPayload: stripeSimulator.secretPayload,
    })
    const pspAccount = stripeSimulator.profile.homeAccount
    await recordVerdict(db, integrationId, { status: 'SUCCESSFUL', reason: null, pspAccount })
    const all = () =>
      db
        .selectFrom('chargeback')
        .selectAll()
        .where('merchant_uuid', '=', merchantUuid)
        .orderBy('chargeback_id')
        .execute()
    /** @returns how many statements it took */
    const counted = async (activity: typeof activities.ingestPages | typeof activities.enrichChargebacks) => {
      const before = statements
      await run(activity as (input: { integrationId: string }) => Promise<unknown>, { integrationId })
      return statements - before
    }
    return {
      merchantUuid,
      integrationId,
      all,
      one: async () => (await all())[0] as Awaited<ReturnType<typeof all>>[number],
      poll: () => counted(activities.ingestPages),
      enrich: () => counted(activities.enrichChargebacks),
      tell: (transactionId: string, fields: object) =>
        upsertTransaction(db, ring, {
          merchantUuid,
          record: { transactionId, ...fields },
          now: clock.now(),
          source: 'api',
        }),
      timeline: (chargebackId: string) => readTimeline(db, { merchantUuid, chargebackId }),
      events: async (chargebackId: string) =>
        (await readTimeline(db, { merchantUuid, chargebackId })).map(({ source, what }) => `${source}: ${what}`),
    }
  }

  return {
    db,
    databaseUrl: database.url,
    ring,
    clock,
    /** What activities said of their progress. */
    heartbeats,
    merchantOf,
    applyRawData: (ingestionId: string) => run(activities.applyRawData as never, { ingestionId }),
    mendJoins: () => run(activities.mendJoins),
    sweepDeadlines: () => run(activities.sweepDeadlines),
    async control(method: string, path: string, body?: object) {
      const answer = await fetch(`${simulator.controlUrl}${path}`, {
        method,
        ...(body && { body: JSON.stringify(body) }),
      })
      // biome-ignore lint/suspicious/noExplicitAny: judged by the test
      return (await answer.json()) as any
    },
    async [Symbol.asyncDispose]() {
      await db.destroy()
      await simulator[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

import { MockActivityEnvironment } from '@temporalio/testing'
import { sql } from 'kysely'
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
import type { ActivityDeps } from '../../../workflows/activities/deps.ts'
import { createActivities } from '../../../workflows/activities/index.ts'
import type { Pace } from '../../../workflows/contract.ts'
import { connectLazily } from '../../../workflows/starters/temporal.ts'
import { createDatabase } from '../../harness/database.ts'
import { activitiesWithFaultPoints } from '../../harness/fault-points/in-process.ts'
import { fileProcesses } from '../../harness/file-processes.ts'
import { until } from '../../harness/until.ts'

/**
 * A worker's activities over a database and a simulated Stripe, called one by one: no Temporal, nothing runs by itself.
 * `dispatched`: polls are those of a shard, with what they read behind new chargebacks. `faultPoints`: `hooks.reached` hears of them.
 */
export async function openWorkshop({ dispatched = false, faultPoints = false } = {}) {
  const database = await createDatabase()
  const simulator = await startSimulator(stripeSimulator)
  const ring = readKeyRing(`k:${Buffer.alloc(32, 7).toString('base64')}`)
  const db = connect(database.url, { scope: 'system', max: 3 })
  const clock = { now: () => new Date() }
  const hooks = {
    reached: async (_moment: string, _about?: string) => {},
    sent: (_text: string) => {},
    stopping: false,
  }
  let statements = 0
  db.pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = ((...args: unknown[]) => {
      const text = String((args[0] as { text?: string }).text ?? args[0])
      if (!text.includes('rate_bucket')) statements++
      hooks.sent(text)
      return query(...args)
    }) as typeof client.query
  })
  const deps: ActivityDeps = {
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
    stopping: () => hooks.stopping,
  }
  const activities = faultPoints
    ? activitiesWithFaultPoints(deps, (point, about) => hooks.reached(point, about))
    : createActivities(deps)
  const heartbeats: unknown[] = []
  const run = <Result>(activity: (...args: never[]) => Promise<Result>, ...args: unknown[]) =>
    runAs({}, activity, ...args)
  const runAs = <Result>(
    info: ConstructorParameters<typeof MockActivityEnvironment>[0],
    activity: (...args: never[]) => Promise<Result>,
    ...args: unknown[]
  ) => {
    const environment = new MockActivityEnvironment(info)
    environment.on('heartbeat', (details) => heartbeats.push(details))
    return environment.run(activity as (...args: unknown[]) => Promise<Result>, ...args)
  }

  /** @returns how many statements it took */
  async function pollByShard(integrationId: string): Promise<number> {
    const before = statements
    const polls = { next_poll_at: sql<Date>`now()`, polled_at: null }
    await db.updateTable('integration').set(polls).where('integration_id', '=', integrationId).execute()
    hooks.stopping = false
    const pace = { commandMs: 5_000, heartbeatMs: 60_000, recheckMs: 1_000, retryMs: 100 }
    const run = runAs({}, activities.pollDue, { shard: 1, pace })
    const row = () =>
      db
        .selectFrom('integration')
        .select(['polled_at', 'next_poll_at'])
        .where('integration_id', '=', integrationId)
        .executeTakeFirstOrThrow()
    await until('a shard has polled it', row, {
      holds: ({ polled_at, next_poll_at }) => polled_at !== null && (next_poll_at ?? 0) > new Date(),
    })
    hooks.stopping = true
    await run
    return statements - before
  }

  async function newMerchant(name: string): Promise<string> {
    const { accountId } = await createAccount(db, { name })
    const { merchantUuid } = await createMerchant(db, ring, {
      accountId,
      merchantName: 'M',
      websiteUrl: 'https://m.example.com',
      contact: { email: 'a@example.com', firstName: 'A', lastName: 'B' },
    })
    return merchantUuid
  }

  /** A merchant, a new one by default, with an integration of that Stripe account. */
  async function merchantOf(account: string, known?: string) {
    const merchantUuid = known ?? (await newMerchant(account))
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
      poll: () => (dispatched ? pollByShard(integrationId) : counted(activities.ingestPages)),
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
    /** What activities and statements tell on their way, and whether the worker takes no new work. */
    hooks,
    /** A shard's run; it ends when `hooks.stopping` says so. */
    pollDue: (pace: Pace, info: ConstructorParameters<typeof MockActivityEnvironment>[0] = {}) =>
      runAs(info, activities.pollDue, { shard: 1, pace }),
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

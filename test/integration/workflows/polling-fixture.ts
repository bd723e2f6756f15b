import { sql } from 'kysely'
import { readTimeline } from '../../../db/chargebacks/timeline.ts'
import { upsertTransaction } from '../../../db/chargebacks/transactions.ts'
import { createAccount } from '../../../db/merchants/accounts.ts'
import type { SliceResult } from '../../../workflows/activities/polling/polling.ts'
import type { Pace } from '../../../workflows/contract.ts'
import { type Info, openInProcess, subjectOf } from '../../harness/in-process.ts'
import { until } from '../../harness/until.ts'

const PACE = { commandMs: 5_000, heartbeatMs: 60_000, recheckMs: 1_000, retryMs: 100 }

/**
 * The in-process world with merchants at a simulated Stripe. The test starts each poll; statements are counted.
 * `dispatched`: a shard runs the polls. `faultPoints`: calls `hooks.atFaultPoint` at each.
 */
export async function openPollingFixture({ dispatched = false, faultPoints = false } = {}) {
  const clock = { now: () => new Date() }
  const hooks = {
    atFaultPoint: async (_point: string, _about?: string) => {},
    sent: (_text: string) => {},
    stopping: false,
  }
  const world = await openInProcess(subjectOf('stripe'), {
    activities: { now: () => clock.now(), stopping: () => hooks.stopping },
    ...(faultPoints && { faultPoints: (point, about) => hooks.atFaultPoint(point, about) }),
  })
  const { activities, run } = world
  const { db, ring, database } = world.stage
  /** Since the start of the last poll or enrichment, with transaction control, without the rate bucket. */
  let statements: string[] = []
  const watched = new WeakSet()
  db.pool.on('acquire', (client) => {
    if (watched.has(client)) return
    watched.add(client)
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = ((...args: unknown[]) => {
      const text = String((args[0] as { text?: string }).text ?? args[0])
      if (!text.includes('rate_bucket')) statements.push(text)
      hooks.sent(text)
      return query(...args)
    }) as typeof client.query
  })

  /** A shard's run; it ends when `hooks.stopping` is true. */
  const pollDue = (pace: Pace, info: Info = {}) => run(activities.pollDue, { shard: 1, pace }, info)

  /** @returns how many statements it took */
  async function pollByShard(integrationId: string): Promise<number> {
    statements = []
    const due = { next_poll_at: sql<Date>`now()`, polled_at: null }
    await db.updateTable('integration').set(due).where('integration_id', '=', integrationId).execute()
    hooks.stopping = false
    const shard = pollDue(PACE)
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
    await shard
    return statements.length
  }

  async function newMerchant(name: string): Promise<string> {
    const { accountId } = await createAccount(db, { name })
    return (await world.stage.newMerchant(accountId)).merchantUuid
  }

  /** A merchant, by default a new one, with an integration of that Stripe account. */
  async function merchantOf(account: string, known?: string) {
    const merchantUuid = known ?? (await newMerchant(account))
    const integrationId = await world.connect({ merchantUuid, externalIdentifier: account })
    const all = () =>
      db
        .selectFrom('chargeback')
        .selectAll()
        .where('merchant_uuid', '=', merchantUuid)
        .orderBy('chargeback_id')
        .execute()
    const counted = async <Result>(activity: typeof activities.ingestPages | typeof activities.enrichChargebacks) => {
      statements = []
      const result = await run(activity as (input: { integrationId: string }) => Promise<Result>, { integrationId })
      return { result, statements: statements.length }
    }
    return {
      merchantUuid,
      integrationId,
      all,
      one: async () => (await all())[0] as Awaited<ReturnType<typeof all>>[number],
      /** @returns how many statements it took */
      poll: async () => (dispatched ? pollByShard(integrationId) : (await counted(activities.ingestPages)).statements),
      /** @returns what the poll found, and how many statements it took */
      async pollCounted() {
        const { result, statements } = await counted<SliceResult>(activities.ingestPages)
        return { ...result, statements }
      },
      /** @returns how many statements it took */
      enrich: async () => (await counted(activities.enrichChargebacks)).statements,
      addTransaction: (transactionId: string, fields: object) =>
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
    ...world,
    db,
    databaseUrl: database.url,
    ring,
    clock,
    merchantOf,
    /** Called at fault points and for statements; `stopping`: the worker takes no new work. */
    hooks,
    pollDue,
    /** Statements of the last poll or enrichment. */
    statements: () => statements,
    applyRawData: (ingestionId: string) => run(activities.applyRawData as never, { ingestionId }),
    mendJoins: () => run(activities.mendJoins as never, undefined),
    sweepDeadlines: () => run(activities.sweepDeadlines as never, undefined),
  }
}

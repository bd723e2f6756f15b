import { readTimeline } from '../../../db/chargebacks/timeline.ts'
import { upsertTransaction } from '../../../db/chargebacks/transactions.ts'
import { createAccount } from '../../../db/merchants/accounts.ts'
import type { SliceResult } from '../../../workflows/activities/polling/polling.ts'
import { openInProcess, subjectOf } from '../../harness/in-process.ts'

/** The in-process world with merchants at a simulated Stripe that are polled as the test says; statements are counted. */
export async function openPollingScene() {
  const clock = { now: () => new Date() }
  const world = await openInProcess(subjectOf('stripe'), { activities: { now: () => clock.now() } })
  const { activities, run } = world
  const { db, ring, database } = world.stage
  /** Since the last poll or enrichment began, transaction control included; tokens of the rate bucket apart. */
  let statements: string[] = []
  const watched = new WeakSet()
  db.pool.on('acquire', (client) => {
    if (watched.has(client)) return
    watched.add(client)
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = ((...args: unknown[]) => {
      const text = String((args[0] as { text?: string }).text ?? args[0])
      if (!text.includes('rate_bucket')) statements.push(text)
      return query(...args)
    }) as typeof client.query
  })

  /** A merchant with an integration of that Stripe account. */
  async function merchantOf(account: string) {
    const { accountId } = await createAccount(db, { name: account })
    const { merchantUuid } = await world.stage.newMerchant(accountId)
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
      poll: async () => (await counted(activities.ingestPages)).statements,
      /** @returns what the poll found, and how many statements it took */
      async pollCounted() {
        const { result, statements } = await counted<SliceResult>(activities.ingestPages)
        return { ...result, statements }
      },
      /** @returns how many statements it took */
      enrich: async () => (await counted(activities.enrichChargebacks)).statements,
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
    ...world,
    db,
    databaseUrl: database.url,
    ring,
    clock,
    merchantOf,
    /** Those of the last poll or enrichment. */
    statements: () => statements,
    applyRawData: (ingestionId: string) => run(activities.applyRawData as never, { ingestionId }),
    mendJoins: () => run(activities.mendJoins as never, undefined),
    sweepDeadlines: () => run(activities.sweepDeadlines as never, undefined),
  }
}

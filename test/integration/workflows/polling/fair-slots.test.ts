import { NativeConnection, Worker } from '@temporalio/worker'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ping } from '../../../../db/core/connect.ts'
import type { SliceResult } from '../../../../workflows/activities/polling/polling.ts'
import { type PollIntegrationInput, QUEUES, WORKFLOWS } from '../../../../workflows/contract.ts'
import { connectLazily } from '../../../../workflows/starters/temporal.ts'
import { activitiesByQueue, CONNECTIONS, openDatabases } from '../../../../workflows/worker/databases.ts'
import { createDatabase } from '../../../harness/database.ts'
import { takeNamespace } from '../../../harness/namespace.ts'
import { testServers } from '../../../harness/servers.ts'
import { until } from '../../../harness/until.ts'
import { workflowBundle } from '../../../harness/workflow-bundle.ts'

/** Slots of the test's worker, and more backfills than both. */
const SLOTS = { polling: 4, backfills: 2 }
const BACKFILLS = 6
const SMALL = 10
const PACE = { commandMs: 5_000, heartbeatMs: 60_000, recheckMs: 1_000, retryMs: 200 }
const NOTHING = { pages: 1, seen: 0, created: 0, changed: 0, quarantined: 0, reread: 0, withoutContext: false }

describe('slots of polls by schedules', () => {
  const temporal = async () => connectLazily(testServers().temporalAddress, await takeNamespace())
  let client: Awaited<ReturnType<typeof temporal>>
  let connection: NativeConnection
  beforeAll(async () => {
    client = await temporal()
    connection = await NativeConnection.connect({ address: testServers().temporalAddress })
  })
  afterAll(async () => {
    await connection.close()
    await client.connection.close()
  })

  test('backfills use only their own slots, so that a new poll always gets one', async () => {
    const atWork = { polling: new Set<string>(), backfills: new Set<string>() }
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const ingestPages =
      (queue: keyof typeof SLOTS) =>
      async ({ integrationId, sliceMs }: { integrationId: string; sliceMs?: number }): Promise<SliceResult> => {
        if (!integrationId.startsWith('backfill')) return { ...NOTHING, done: true }
        // The first slice ends by its own time limit; the others never do.
        if (sliceMs !== undefined) return { ...NOTHING, done: false }
        atWork[queue].add(integrationId)
        await released
        return { ...NOTHING, done: true }
      }
    const workflowBundleOf = { codePath: await workflowBundle() }
    const create = (queue: keyof typeof SLOTS) =>
      Worker.create({
        ...{ connection, namespace: client.options.namespace, taskQueue: QUEUES[queue] },
        ...{ activities: { ingestPages: ingestPages(queue) }, maxConcurrentActivityTaskExecutions: SLOTS[queue] },
        ...(queue === 'polling' && { workflowBundle: workflowBundleOf }),
      })
    const workers = await Promise.all([create('polling'), create('backfills')])
    const running = Promise.all(workers.map((worker) => worker.run()))
    const start = (integrationId: string) => {
      const input: PollIntegrationInput = { integrationId, merchantUuid: 'm', source: 'stripe', pace: PACE }
      return client.workflow.start(WORKFLOWS.pollIntegration, {
        ...{ taskQueue: QUEUES.polling, workflowId: integrationId, args: [input] },
      })
    }
    const named = (kind: string, count: number) => Array.from({ length: count }, (_, n) => start(`${kind}-${n}`))
    try {
      const backfills = await Promise.all(named('backfill', BACKFILLS))
      await until('backfills have their slots', async () => atWork.backfills.size === SLOTS.backfills)
      const small = await Promise.all(named('small', SMALL))
      expect(await Promise.all(small.map((handle) => handle.result()))).toHaveLength(SMALL)
      expect([atWork.polling.size, atWork.backfills.size]).toEqual([0, SLOTS.backfills])
      release()
      expect(await Promise.all(backfills.map((handle) => handle.result()))).toHaveLength(BACKFILLS)
    } finally {
      release()
      for (const worker of workers) worker.shutdown()
      await running
    }
  })
})

describe('connections of a worker', () => {
  test('polls that use all of their connections do not block commands, records and the outbox', async () => {
    await using database = await createDatabase()
    const clock = { compare: async () => {} } as never
    const databases = openDatabases({ databaseUrl: database.url, environment: 'sandbox' }, clock, { warn() {} })
    const { db, pollingDb } = databases
    try {
      const held = await Promise.all(Array.from({ length: CONNECTIONS.polling }, () => pollingDb.pool.connect()))
      await ping(db)
      for (const client of held) client.release()
      const made = activitiesByQueue(databases, ((deps: { db: unknown }) => deps.db) as never, {} as never)
      expect(Object.entries(made).filter(([, own]) => (own as unknown) === pollingDb)).toEqual([
        ['polling', pollingDb],
        ['backfills', pollingDb],
      ])
      expect(Object.keys(made).toSorted()).toEqual(Object.keys(QUEUES).toSorted())
    } finally {
      await db.destroy()
      await pollingDb.destroy()
    }
  })
})

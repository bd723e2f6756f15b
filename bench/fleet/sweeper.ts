import { MockActivityEnvironment } from '@temporalio/testing'
import { connect } from '../../db/core/connect.ts'
import { readKeyRing } from '../../db/core/seal.ts'
import { fileProcesses } from '../../test/harness/file-processes.ts'
import { unlimited } from '../../test/harness/unlimited.ts'
import { createActivities } from '../../workflows/activities/index.ts'
import type { ShardTotals } from '../../workflows/contract.ts'
import { connectLazily } from '../../workflows/starters/temporal.ts'
import { ownTime } from '../runner/clocks.ts'

/** As many as the worker's, see RECOUP_POLL_SHARDS. */
const SHARDS = 8
/** Connections of a worker. */
const CONNECTIONS = 12
/** Nothing that was polled is due again within the sweep. */
const EVERY_SECONDS = 86_400
const PACE = { commandMs: 5_000, heartbeatMs: 60_000, recheckMs: 1_000, retryMs: 60_000 }

export interface SweepOptions {
  databaseUrl: string
  ring: string
  pspUrl: string
  /** Polls after which the shards end. */
  polls: number
}

export interface SweepRun {
  polled: number
  wallMs: number
  cpuMs: number
  /** Disputes that were read. */
  seen: number
  statements: number
}

/** The shards of one worker poll what is due. @throws when a poll failed, or found something new */
export async function sweep({ databaseUrl, ring, pspUrl, polls }: SweepOptions): Promise<SweepRun> {
  let [statements, responses] = [0, 0]
  const db = connect(databaseUrl, { scope: 'system', max: CONNECTIONS })
  db.pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = ((...args: unknown[]) => {
      statements++
      return query(...args)
    }) as typeof client.query
  })
  const activities = createActivities({
    db,
    ring: readKeyRing(ring),
    files: fileProcesses,
    renderer: fileProcesses,
    temporal: connectLazily('127.0.0.1:1', 'none'),
    adapterFor: unlimited,
    environment: 'sandbox',
    baseUrls: { stripe: pspUrl },
    polling: { intervalSeconds: EVERY_SECONDS, pace: PACE },
    log: { info() {}, warn() {} },
    now: () => new Date(),
    counted: () => void responses++,
    stopping: () => responses >= polls,
  })
  const run = (shard: number) => {
    const environment = new MockActivityEnvironment({
      workflowExecution: { workflowId: `shard-${shard}`, runId: `${shard}` },
    })
    return environment.run(activities.pollDue, { shard, pace: PACE }) as Promise<ShardTotals>
  }
  const total = { polled: 0, seen: 0, failed: 0, news: 0 }
  try {
    const { wallMs, cpuMs } = await ownTime(async () => {
      // A run takes new work for a minute.
      while (responses < polls) {
        const before = responses
        for (const shard of await Promise.all(Array.from({ length: SHARDS }, (_, index) => run(index + 1)))) {
          total.polled += shard.polled
          total.seen += shard.seen
          total.failed += shard.failed
          total.news += shard.created + shard.changed + shard.quarantined
        }
        if (responses === before) throw new Error(`only ${responses} of ${polls} integrations were due`)
      }
    })
    if (total.failed + total.news > 0)
      throw new Error(`${total.failed} polls failed, and ${total.news} disputes were new or changed`)
    return { polled: total.polled, seen: total.seen, wallMs, cpuMs, statements }
  } finally {
    await db.destroy()
  }
}

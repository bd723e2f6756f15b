import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTemporalServer, type TemporalServer, wipeDatabase } from '../../../local/temporal/server.ts'
import { quietPorts } from '../../../process/ports.ts'
import { testServers } from '../../harness/servers.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { until } from '../../harness/until.ts'
import { fillIntegrations } from './many-integrations.ts'

const COUNT = 120
/** Integrations that a shard leases at once. */
const LEASED = 100
const INTERVAL_SECONDS = 300
const TWO_INTERVALS_MS = 2 * INTERVAL_SECONDS * 1000

const folder = mkdtempSync(join(tmpdir(), 'recoup-shards-'))
const hold = join(folder, 'poll.before_page@*')
let options: Parameters<typeof startTemporalServer>[0]
let temporal: TemporalServer
let stack: Stack
let ids: string[]

beforeAll(async () => {
  const [port = 0] = await quietPorts(1)
  options = {
    cli: { path: testServers().temporalCli, origin: 'test', version: 'test' },
    ...{ port, uiPort: null, folder, logFile: join(folder, 'log'), exactTimers: true, namespaces: ['default'] },
  }
  temporal = await startTemporalServer(options)
  stack = await startStack({
    ...{ workers: 0, apis: 0, temporal: { address: temporal.address, namespace: 'default' } },
    env: {
      ...{ RECOUP_POLLING: 'dispatch', RECOUP_POLL_SHARDS: '1', RECOUP_HEARTBEAT_MS: '8000' },
      RECOUP_POLL_INTERVAL_SECONDS: String(INTERVAL_SECONDS),
    },
  })
  const account = (place: number) => `acct_many${place}`
  for (let place = 0; place < COUNT; place++)
    await stack.control('POST', '/disputes', { count: 1, account: account(place) })
  const { accountId, db, ring } = stack
  ids = await fillIntegrations(db, ring, { accountId, count: COUNT, merchants: 30, accountOf: account })
}, 240_000)
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await temporal?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Holds every poll at its first page until a shard has leased as many as it can. */
async function holdLeased() {
  writeFileSync(hold, '')
  const worker = await stack.startWorker({ HOLD_AT: folder })
  await sql`update integration set next_poll_at = now(), last_successful_poll_at = null`.execute(stack.db)
  const leased = () =>
    sql<{ n: number }>`select count(*)::int as n from integration where lease_owner is not null`.execute(stack.db)
  // The shard of a worker that has just stopped is retried with growing pauses.
  await until('a shard has leased them', leased, {
    ...{ holds: ({ rows }) => rows[0]?.n === LEASED, timeoutMs: TWO_INTERVALS_MS },
  })
  return worker
}

async function allPolled(): Promise<void> {
  const waiting = () =>
    sql`select from integration where last_successful_poll_at is null or lease_owner is not null`.execute(stack.db)
  await until('all are polled', waiting, { holds: ({ rows }) => rows.length === 0, timeoutMs: TWO_INTERVALS_MS })
}

/** Each dispute was stored once. */
async function eachStoredOnce(): Promise<void> {
  const rows = await stack.db.selectFrom('chargeback').select(['integration_id', 'chargeback_id']).execute()
  expect(rows).toHaveLength(COUNT)
  expect(new Set(rows.map((row) => row.integration_id))).toEqual(new Set(ids))
  const events = await stack.db
    .selectFrom('timeline_event')
    .select('chargeback_id')
    .where('what', '=', 'ingested')
    .execute()
  expect(events).toHaveLength(COUNT)
}

describe('a lost shard with a hundred leases', () => {
  test(
    'worker frozen: another attempt takes the leases over, and the frozen worker writes nothing afterwards',
    async () => {
      const frozen = await holdLeased()
      frozen.kill('SIGSTOP')
      const second = await stack.startWorker()
      await allPolled()
      await eachStoredOnce()
      rmSync(hold)
      frozen.kill('SIGCONT')
      await frozen.stop()
      await eachStoredOnce()
      await second.stop()
    },
    2 * TWO_INTERVALS_MS + 240_000,
  )

  test(
    'worker killed and Temporal’s database wiped: polled again when the leases have expired',
    async () => {
      const killed = await holdLeased()
      killed.kill('SIGKILL')
      await killed.exited
      await temporal.stop()
      wipeDatabase(folder)
      temporal = await startTemporalServer(options)
      rmSync(hold)
      // Lets the leases expire, which takes less than an interval.
      await sql`update integration set lease_until = now() where lease_owner is not null`.execute(stack.db)
      await stack.startWorker()
      await allPolled()
      await eachStoredOnce()
    },
    2 * TWO_INTERVALS_MS + 240_000,
  )
})

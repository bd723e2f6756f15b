import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addIntegrations } from '../../../bench/fleet/integrations.ts'
import { type BulkStripe, serveBulk } from '../../../bench/psp/bulk.ts'
import { startTemporalServer, type TemporalServer, wipeDatabase } from '../../../local/temporal/server.ts'
import { quietPorts } from '../../../process/ports.ts'
import { testServers } from '../../harness/servers.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { until } from '../../harness/until.ts'

/** RECOUP_TEST_INTEGRATIONS=10000 is the size that docs/scaling.md names; it takes 10 minutes. */
const COUNT = Number(process.env.RECOUP_TEST_INTEGRATIONS ?? 1_000)
/** Long enough to poll all of them once on a busy machine of two cores. */
const INTERVAL_SECONDS = Math.max(30, Math.ceil(COUNT / 40))
const TWO_INTERVALS_MS = 2 * INTERVAL_SECONDS * 1000
const LIMIT_MS = 8 * TWO_INTERVALS_MS + 240_000

const folder = mkdtempSync(join(tmpdir(), 'recoup-wiped-'))
let options: Parameters<typeof startTemporalServer>[0]
let temporal: TemporalServer
let psp: BulkStripe
let stack: Stack

beforeAll(async () => {
  const [port = 0] = await quietPorts(1)
  options = {
    cli: { path: testServers().temporalCli, origin: 'test', version: 'test' },
    ...{ port, uiPort: null, folder, logFile: join(folder, 'log'), namespaces: ['default'] },
  }
  temporal = await startTemporalServer(options)
  psp = await serveBulk({ count: 1 })
  stack = await startStack({
    ...{ workers: 0, apis: 0, temporal: { address: temporal.address, namespace: 'default' } },
    env: {
      ...{ RECOUP_POLLING: 'dispatch', RECOUP_HEARTBEAT_MS: '8000', STRIPE_API_URL: psp.url },
      RECOUP_POLL_INTERVAL_SECONDS: String(INTERVAL_SECONDS),
    },
  })
  await addIntegrations(stack.db, stack.ring, { count: COUNT, name: 'many' })
}, 240_000)
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]()
  await temporal?.stop()
  await psp?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function databaseTime(): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(stack.db)
  return rows[0]?.now as Date
}
async function notPolledSince(time: Date): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from integration
    where last_successful_poll_at is null or last_successful_poll_at < ${time}`.execute(stack.db)
  return rows[0]?.n ?? COUNT
}
const allPolledSince = (time: Date, timeoutMs: number) =>
  until('all are polled', () => notPolledSince(time), { holds: (n) => n === 0, timeoutMs })

test(
  'Temporal’s database wiped while shards poll: every integration is polled again within two intervals',
  async () => {
    const began = await databaseTime()
    await sql`update integration set next_poll_at = now()`.execute(stack.db)
    await stack.startWorker()
    await allPolledSince(began, 4 * TWO_INTERVALS_MS)

    // In the middle of the next round.
    const second = await databaseTime()
    await until('half of them are polled', () => notPolledSince(second), {
      holds: (n) => n < COUNT / 2,
      timeoutMs: TWO_INTERVALS_MS,
    })
    await temporal.stop()
    wipeDatabase(folder)
    temporal = await startTemporalServer(options)
    const wiped = await databaseTime()
    await allPolledSince(wiped, 2 * TWO_INTERVALS_MS)
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from max(last_successful_poll_at - ${wiped}::timestamptz))::float8 as seconds
      from integration`.execute(stack.db)
    console.info(JSON.stringify({ integrations: COUNT, interval: INTERVAL_SECONDS, polledAgain: rows[0]?.seconds }))
    expect(rows[0]?.seconds).toBeLessThan(TWO_INTERVALS_MS / 1000)

    const stored = await stack.db
      .selectFrom('chargeback')
      .select((eb) => [
        eb.fn.countAll<bigint>().as('rows'),
        eb.fn.count('integration_id').distinct().as('integrations'),
      ])
      .executeTakeFirstOrThrow()
    expect(stored).toEqual({ rows: BigInt(COUNT), integrations: BigInt(COUNT) })
  },
  LIMIT_MS,
)

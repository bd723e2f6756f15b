import { MockActivityEnvironment } from '@temporalio/testing'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adapterFor } from '../../../adapters/registry.ts'
import { connect } from '../../../db/core/connect.ts'
import { readKeyRing } from '../../../db/core/seal.ts'
import { createAccount } from '../../../db/merchants/accounts.ts'
import { type DuePoll, leaseDue, recordPolls } from '../../../db/polling/due.ts'
import { createActivities } from '../../../workflows/activities/index.ts'
import type { ShardTotals } from '../../../workflows/contract.ts'
import { connectLazily } from '../../../workflows/starters/temporal.ts'
import { createDatabase, type TestDatabase } from '../../harness/database.ts'
import { fileProcesses } from '../../harness/file-processes.ts'
import { until } from '../../harness/until.ts'
import { fillIntegrations } from './many-integrations.ts'

const FEW = 10_000
const MANY = 100_000
const SHARDS = 8
const SLICE = 100
/** A thousand days: no polled integration is due again meanwhile. */
const EVERY_MS = 86_400_000_000
/** Integrations that are polled completely, except for the PSP. */
const WHOLE = 1_000

let database: TestDatabase
let db: ReturnType<typeof connect>
let ids: string[]
const ring = readKeyRing(`k:${Buffer.alloc(32, 7).toString('base64')}`)
const sent: { text: string; values: unknown[] }[] = []

beforeAll(async () => {
  database = await createDatabase()
  db = connect(database.url, { scope: 'system', max: 12, statementTimeoutMs: 0 })
  db.pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = ((...args: unknown[]) => {
      const [first, second] = args as [string | { text: string; values?: unknown[] }, unknown[]?]
      if (typeof first === 'string') sent.push({ text: first, values: second ?? [] })
      else sent.push({ text: first.text, values: first.values ?? second ?? [] })
      return query(...args)
    }) as typeof client.query
  })
  const { accountId } = await createAccount(db, { name: 'Many' })
  ids = await fillIntegrations(db, ring, { accountId, count: MANY, merchants: 100, accountOf: (n) => `acct_many${n}` })
}, 300_000)
afterAll(async () => {
  await db?.destroy()
  await database?.[Symbol.asyncDispose]()
})

async function makeDue(count: number): Promise<void> {
  await sql`update integration set next_poll_at = now() + interval '1 hour', lease_until = null`.execute(db)
  await sql`update integration set next_poll_at = now() - random() * interval '1 minute', polled_at = null
    where integration_id = any(${ids.slice(0, count)}::uuid[])`.execute(db)
  await sql`analyze integration`.execute(db)
  sent.length = 0
}

const leases = () => sent.filter(({ text }) => text.includes('with due as'))
const records = () => sent.filter(({ text }) => text.includes('set lease_owner = null'))

/** Shards that lease and record concurrently until nothing is due. */
async function sweep(): Promise<{ polled: DuePoll[]; cpuUs: number }> {
  const before = process.cpuUsage()
  const shard = async (number: number): Promise<DuePoll[]> => {
    const own: DuePoll[] = []
    for (;;) {
      const leased = await leaseDue(db, { owner: `run-${number}`, limit: SLICE, retryMs: 60_000, takeover: null })
      if (leased.length === 0) return own
      own.push(...leased)
      const ended = leased.map((poll) => ({ poll, result: 'done' as const, listed: true, reason: null, moved: null }))
      await recordPolls(db, ended, { workflowId: `poll-shard:${number}`, retryMs: 60_000, everyMs: EVERY_MS })
    }
  }
  const polled = (await Promise.all(Array.from({ length: SHARDS }, (_, index) => shard(index)))).flat()
  const { user, system } = process.cpuUsage(before)
  return { polled, cpuUs: (user + system) / polled.length }
}

/** Tables that a statement scans completely. */
async function scanned({ text, values }: (typeof sent)[number]): Promise<string[]> {
  const client = await db.pool.connect()
  try {
    await client.query(`begin; set local recoup.scope = 'system'`)
    const { rows } = await client.query(`explain (format json) ${text}`, values)
    return [...JSON.stringify(rows).matchAll(/"Node Type":"Seq Scan".*?"Relation Name":"(\w+)"/g)].map(
      ([, name]) => name ?? '',
    )
  } finally {
    await client.query('rollback')
    client.release()
  }
}

describe('100,000 integrations that shards poll', () => {
  test('each is leased once, with two statements per hundred, and no statement scans the whole table', async () => {
    await makeDue(FEW)
    const few = await sweep()
    expect(few.polled).toHaveLength(FEW)
    await makeDue(MANY)
    const many = await sweep()
    const [lease] = leases()
    const statements = leases().length + records().length
    expect(many.polled).toHaveLength(MANY)
    expect(new Set(many.polled.map(({ integrationId }) => integrationId)).size).toBe(MANY)
    // A shard's last lease finds nothing, and a row that another shard has locked is left to that shard.
    expect(statements / MANY).toBeLessThan(0.025)
    expect(lease && (await scanned(lease))).toEqual([])
    console.info(
      JSON.stringify({
        name: 'lease and record',
        statements: statements / MANY,
        cpuUs: many.cpuUs,
        cpuUsOf10k: few.cpuUs,
      }),
    )
  }, 600_000)

  test('a shard polls them completely, except for the PSP', async () => {
    await makeDue(WHOLE)
    let stopping = false
    const activities = createActivities({
      ...{ db, ring, files: fileProcesses, renderer: fileProcesses, environment: 'sandbox', baseUrls: {} },
      temporal: connectLazily('127.0.0.1:1', 'none'),
      adapterFor(source, secretType) {
        const definition = adapterFor(source, secretType)
        if (!definition) return undefined
        const listDisputes = async ({ cursor }: { cursor: unknown }) => ({ items: [], cursor, hasMore: false })
        return { ...definition, connect: (context) => ({ ...definition.connect(context), listDisputes }) }
      },
      polling: {
        intervalSeconds: EVERY_MS / 1000,
        pace: { commandMs: 1, heartbeatMs: 60_000, recheckMs: 1, retryMs: 60_000 },
      },
      log: { info() {}, warn() {} },
      ...{ now: () => new Date(), counted() {}, stopping: () => stopping },
    })
    const before = process.cpuUsage()
    const pace = { commandMs: 1, heartbeatMs: 60_000, recheckMs: 1, retryMs: 60_000 }
    const run = new MockActivityEnvironment().run(activities.pollDue, { shard: 1, pace }) as Promise<ShardTotals>
    const waiting = () =>
      db
        .selectFrom('integration')
        .select((eb) => eb.fn.countAll<bigint>().as('count'))
        .where('integration_id', 'in', ids.slice(0, WHOLE))
        .where('polled_at', 'is', null)
        .executeTakeFirstOrThrow()
    const checks: object[] = []
    await until(
      'all are polled',
      async () => {
        checks.push({})
        return waiting()
      },
      { holds: ({ count }) => count === 0n, timeoutMs: 300_000 },
    ).finally(() => {
      stopping = true
    })
    const { polled, failed, pages } = await run
    const { user, system } = process.cpuUsage(before)
    expect({ polled, failed, pages }).toEqual({ polled: WHOLE, failed: 0, pages: WHOLE })
    expect(sent.filter(({ text }) => /set "lease_owner"|set "polled_at"/.test(text))).toEqual([])
    const statements = (sent.length - checks.length) / WHOLE
    console.info(JSON.stringify({ name: 'whole poll', statements, cpuUs: (user + system) / WHOLE }))
  }, 600_000)
})

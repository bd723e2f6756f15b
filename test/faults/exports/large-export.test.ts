import http from 'node:http'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../../../db/core/connect.ts'
import { asOwner } from '../../harness/database.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { until } from '../../harness/until.ts'
import { addIntegration } from '../../integration/api/chargebacks/chargeback-rows.ts'
import { megabytesOf } from '../invariants/baseline.ts'

/** A million with RECOUP_TEST_ROWS=1000000. */
const ROWS = Number(process.env.RECOUP_TEST_ROWS ?? 100_000)
const MINUTES = 60_000
/** An export of a million rows has about 600 MB. What the heap gains by garbage was measured as at most 60 MB. */
const MORE_MEGABYTES = 150
/** More than the API has connections to Postgres. */
const CLIENTS = 24
/** Of one client, in both directions of its socket, and one batch. */
const MOST_ROWS_AHEAD = 20_000

let stack: Stack
let api: Stack['apis'][number]
let before = 0
beforeAll(async () => {
  stack = await startStack({ workers: 0 })
  ;[api] = stack.apis as [Stack['apis'][number]]
  const integrationId = await addIntegration(stack.db, stack.ring, stack.merchantUuid)
  const owner = connect(asOwner(stack.databaseUrl), { scope: 'owner', max: 1, statementTimeoutMs: 0 })
  await sql`
    insert into chargeback (id, merchant_uuid, integration_id, chargeback_id, psp, currency, amount_minor, amount_exponent,
      posting_date, due_date, psp_status, status, status_reason, lifecycle_stage, reason_group, content_hash,
      translation_version, read_at)
    select gen_random_uuid(), ${stack.merchantUuid}::uuid, ${integrationId}::uuid, 'du_' || n, 'stripe', 'USD', 1000 + n % 90000, 2,
      now() - make_interval(secs => n * 7), now() + interval '7 days', 'needs_response', 'waiting_for_data', 'new',
      'chargeback', 'fraud', decode(md5(n::text), 'hex'), 1, now()
    from generate_series(1, ${ROWS}::int) n`.execute(owner)
  await sql`vacuum analyze chargeback`.execute(owner)
  await owner.destroy()
  before = megabytesOf(api.pid)
}, 20 * MINUTES)
afterAll(() => stack[Symbol.asyncDispose]())

const open = (format = 'ndjson') =>
  new Promise<http.IncomingMessage>((resolve, reject) => {
    const headers = { authorization: `Bearer ${stack.token}`, 'reference-account-id': stack.referenceId }
    http
      .get(`${api.url}/v1/chargebacks/export?format=${format}`, { headers, agent: false }, resolve)
      .on('error', reject)
  })
const linesIn = (chunk: Buffer | null) => chunk?.toString('latin1').split('\n').slice(1).length ?? 0
const grown = () => megabytesOf(api.pid) - before
/** Connections of the API that are in use. */
const busy = async () => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and backend_type = 'client backend' and state <> 'idle'`.execute(stack.db)
  return rows[0]?.count
}
const ends = (outcome: string) =>
  api.lines.filter((line) => line.includes(`"export ${outcome}"`)).map((line) => JSON.parse(line) as { rows: number })

test.each(['ndjson', 'csv'])(
  '%s: every row arrives, and the memory of the API stays flat',
  async (format) => {
    const response = await open(format)
    let [lines, most] = [0, 0]
    for await (const chunk of response) {
      lines += linesIn(chunk as Buffer)
      most = Math.max(most, grown())
    }
    expect(lines).toBe(format === 'csv' ? ROWS + 1 : ROWS)
    expect(response.complete).toBe(true)
    expect(most).toBeLessThan(MORE_MEGABYTES)
  },
  8 * MINUTES,
)

test(
  'clients that stop reading hold neither memory nor a connection, and one of them goes on later',
  async () => {
    const responses = await Promise.all(Array.from({ length: CLIENTS }, () => open()))
    for (const response of responses) response.pause()
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(Array(CLIENTS).fill(200))
    await until('no connection to Postgres is in use', busy, { holds: (count) => count === 0, timeoutMs: 30_000 })
    expect((await stack.call('GET', '/chargebacks?limit=10', undefined, selected())).body.data).toHaveLength(10)
    expect(grown()).toBeLessThan(MORE_MEGABYTES)

    const [slow, ...others] = responses as [http.IncomingMessage, ...http.IncomingMessage[]]
    let lines = 0
    for await (const chunk of slow) {
      lines += linesIn(chunk as Buffer)
      // A reader that is slower than the service.
      await new Promise((resolve) => setImmediate(resolve))
      if (lines > 2 * MOST_ROWS_AHEAD) break
    }
    expect(lines).toBeGreaterThan(2 * MOST_ROWS_AHEAD)

    for (const response of others) response.destroy()
    const left = await until('the API has noticed that they left', () => ends('abandoned'), {
      holds: (all) => all.length === CLIENTS,
      timeoutMs: 30_000,
    })
    const ahead = left.map(({ rows }) => rows).toSorted((a, b) => a - b)
    expect(ahead.at(-2)).toBeLessThan(MOST_ROWS_AHEAD)
    await until('no connection to Postgres is in use', busy, { holds: (count) => count === 0, timeoutMs: 30_000 })
    expect(grown()).toBeLessThan(MORE_MEGABYTES)
  },
  3 * MINUTES,
)

const selected = () => ({ 'reference-account-id': stack.referenceId })

import pg from 'pg'
import { listChargebacks } from '../db/chargebacks/chargeback-list.ts'
import type { ListPosition } from '../db/chargebacks/list-order.ts'
import { type ConnectedDatabase, connect } from '../db/core/connect.ts'
import { inScope } from '../db/core/scope.ts'
import { openOtherSide } from './psp/other-side.ts'
import { type Dataset, makeDataset, PAGE } from './reads/dataset.ts'
import { appRole } from './runner/app-role.ts'
import type { Context } from './runner/context.ts'
import { openDatabases } from './runner/databases.ts'
import { median, percentile } from './runner/metric.ts'

/** Of the deep page, in rows. */
const DEPTH = 99_000

export async function run(context: Context): Promise<void> {
  const chargebacks = context.size(1_000_000, 100_000)
  const repeats = context.quick ? 60 : 300
  // The largest merchant owns half of all.
  const depth = Math.min(DEPTH, Math.floor(chargebacks * 0.4))
  if (depth < DEPTH) context.skip('paging.depth', context.rows, `a page at depth ${depth} is no page at depth ${DEPTH}`)
  await using otherSide = await openOtherSide()
  const { url: serverUrl, pid: postmaster } = otherSide.postgres
  await using _role = appRole(serverUrl)
  await using databases = await openDatabases(serverUrl)
  context.say(`making ${chargebacks} chargebacks`)
  const data = await makeDataset(databases, chargebacks)
  context.fact({ disputes: chargebacks, depth, analyzed: true, postgres: await databases.describe() })
  await using client = await openClient(data.url)
  const position = await client.positionAt(data, depth)
  const db = connect(data.appUrl, { scope: 'none', max: 1 })
  await using _db = { [Symbol.asyncDispose]: () => db.destroy() }
  const sides = {
    keyset: () => client.medianMs(data, position, 0, repeats),
    offset: () => client.medianMs(data, null, depth, Math.ceil(repeats / 20)),
    deep: () => p99(db, data, position, repeats),
    first: () => p99(db, data, null, repeats),
  }
  const { rounds, loudPairs } = await context.pairsOf(sides, postmaster)
  const of = (side: keyof typeof sides) => rounds.map((round) => round[side])
  const name = depth < DEPTH ? 'paging.shallow_sql' : 'paging.sql'
  const offset = { name: `offset ${depth}`, values: of('offset') }
  context.metric({ name, unit: 'ms', clock: 'wall', ours: of('keyset'), anchor: offset, inverse: true }, loudPairs)
  const first = { name: 'the first page', values: of('first') }
  const p99Name = depth < DEPTH ? 'paging.shallow_p99' : 'paging.p99'
  context.metric({ name: p99Name, unit: 'ms', clock: 'wall', ours: of('deep'), anchor: first }, loudPairs)
}

/** Latency of the product's list, ms. */
async function p99(db: ConnectedDatabase, data: Dataset, after: ListPosition | null, repeats: number): Promise<number> {
  const merchantUuid = data.merchants[0]?.merchantUuid ?? ''
  const times: number[] = []
  for (let n = 0; n < repeats; n++) {
    const started = performance.now()
    await inScope({ accountId: data.accountId, merchantUuid }, () =>
      listChargebacks(db, { merchantUuid, limit: PAGE, page: 1, after, filter: {} }),
    )
    times.push(performance.now() - started)
  }
  return percentile(times, 0.99)
}

/** Pages by plain SQL, timed by the server. */
async function openClient(url: string) {
  const client = new pg.Client(url)
  await client.connect()
  const from = 'from chargeback where merchant_uuid = $1 and merged_into is null'
  const order = 'order by posting_sort desc, id desc'
  return {
    async positionAt({ merchants }: Dataset, depth: number): Promise<ListPosition> {
      const sql = `select posting_sort::text as key, id ${from} ${order} offset $2 limit 1`
      const { rows } = await client.query<ListPosition>(sql, [merchants[0]?.merchantUuid, depth - 1])
      return rows[0] as ListPosition
    },
    async medianMs({ merchants }: Dataset, after: ListPosition | null, offset: number, repeats: number) {
      const where = after ? `and (posting_sort, id) < ($2::timestamptz, $3::uuid)` : ''
      const values = [merchants[0]?.merchantUuid, ...(after ? [after.key, after.id] : [])]
      const sql = `explain (analyze, timing off, format json)
        select * ${from} ${where} ${order} offset ${offset} limit ${PAGE + 1}`
      const times: number[] = []
      for (let n = 0; n < repeats; n++) {
        const { rows } = await client.query<{ 'QUERY PLAN': [{ 'Execution Time': number }] }>(sql, values)
        times.push(rows[0]?.['QUERY PLAN'][0]['Execution Time'] ?? Number.NaN)
      }
      return median(times)
    },
    [Symbol.asyncDispose]: () => client.end(),
  }
}

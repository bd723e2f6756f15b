import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listChargebacks } from '../../../../db/chargebacks/chargeback-list.ts'
import type { ChargebackFilter } from '../../../../db/chargebacks/list-filter.ts'
import type { ListPosition } from '../../../../db/chargebacks/list-order.ts'
import { connect } from '../../../../db/core/connect.ts'
import { inScope } from '../../../../db/core/scope.ts'
import { byOwner } from '../../../harness/database.ts'
import { addIntegration, stageWithIntegration } from '../../api/chargebacks/chargeback-rows.ts'
import type { Stage } from '../../api/stage.ts'

/** Lists whose plan Postgres keeps, made when a scan and a sort were cheaper than any index: docs/decisions/0089. */
const PAGE = 50

let stage: Stage
let shops: { merchantUuid: string; integrationId: string }[]
/** One connection, which keeps its plans. */
let db: ReturnType<typeof connect>
beforeAll(async () => {
  const { stage: made, at } = await stageWithIntegration()
  stage = made
  const { merchantUuid } = await stage.newMerchant(stage.accountId)
  shops = [at, { merchantUuid, integrationId: await addIntegration(stage.db, stage.ring, merchantUuid) }]
  db = connect(stage.database.url, { scope: 'none', max: 1 })
  // Statistics would have the plans made again.
  await byOwner(stage.database.url, sql`alter table chargeback set (autovacuum_enabled = false)`)
})
afterAll(async () => {
  await db.destroy()
  await stage[Symbol.asyncDispose]()
})

const list = (shop: number, filter: ChargebackFilter, after: ListPosition | null = null) => {
  const { merchantUuid } = shops[shop] as (typeof shops)[number]
  const request = { merchantUuid, limit: PAGE, page: 1, after, filter }
  return inScope({ accountId: stage.accountId, merchantUuid }, () => listChargebacks(db, request))
}
const FILTERS: ChargebackFilter[] = [{}, { status: ['building_evidence'] }]

const kept = async () =>
  (
    await db.pool.query(`select name, statement, generic_plans::int as generic, custom_plans::int as custom
      from pg_prepared_statements where statement like '%prepared in order%' order by name`)
  ).rows

/** Stores so many chargebacks of each merchant. */
async function fill(from: number, to: number): Promise<void> {
  for (const { merchantUuid, integrationId } of shops)
    await byOwner(
      stage.database.url,
      sql`insert into chargeback (id, merchant_uuid, integration_id, chargeback_id, psp, currency, amount_minor,
          amount_exponent, posting_date, psp_status, psp_status_change_date, status, status_reason, lifecycle_stage, reason_group,
          content_hash, translation_version, read_at)
        select gen_random_uuid(), ${merchantUuid}, ${integrationId}, 'du_' || n, 'stripe', 'USD', 1000, 2,
          now() - make_interval(mins => n / 3), 'needs_response', now(),
          case n % 2 when 0 then 'building_evidence' else 'waiting_for_data' end, 'it is new', 'chargeback', 'fraud',
          decode(md5(n::text), 'hex'), 1, now()
        from generate_series(${from}::int, ${to}::int) n`,
    )
}

test('a list keeps the plan of a small table, and reads one page by the index when the table is large', async () => {
  await fill(1, 3)
  await byOwner(stage.database.url, sql`analyze chargeback`)
  const start = { key: 'infinity', id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }
  for (const filter of FILTERS)
    for (const after of [null, start]) expect(await list(0, filter, after)).toMatchObject({ hasMore: false })
  expect((await kept()).map(({ generic, custom }) => [generic, custom])).toEqual(Array(4).fill([1, 0]))
  await fill(4, 20_000)

  const ids = new Set<string>()
  for (const filter of FILTERS) {
    let last: ListPosition | null = null
    for (let page = 0; page < 5; page++) {
      const read = await list(0, filter, last)
      expect(read).toMatchObject({ count: PAGE, hasMore: true })
      for (const item of JSON.parse(`[${read.items}]`) as { id: string; status: string }[]) {
        if (!filter.status) ids.add(item.id)
        else expect(item.status).toBe('building_evidence')
      }
      last = read.last
    }
  }
  expect(ids.size).toBe(5 * PAGE)
  const others = JSON.parse(`[${(await list(1, {})).items}]`) as { id: string }[]
  expect(others.filter(({ id }) => ids.has(id))).toEqual([])
  expect((await kept()).map(({ custom }) => custom)).toEqual(Array(4).fill(0))

  // The plans that the connection keeps, for a page in the middle.
  const { last } = await list(0, {})
  const { merchantUuid } = shops[0] as (typeof shops)[number]
  for (const { name, statement } of await kept()) {
    const values = valuesOf(statement, { merchantUuid, key: last?.key ?? '', id: last?.id ?? '' })
    const plan = await explained(name, values)
    expect(plan).not.toMatch(/Sort|Seq Scan on chargeback|Bitmap/)
    const buffers = Number(/Buffers: shared hit=(\d+)/.exec(plan)?.[1])
    expect(buffers, plan).toBeLessThan(4 * PAGE)
  }
})

/** The values of a kept list's parameters, by what stands before each. */
function valuesOf(statement: string, { merchantUuid, key, id }: { merchantUuid: string; key: string; id: string }) {
  const before: Record<string, string> = {
    ...{ 'merchant_uuid = ': merchantUuid, '"status" = ': 'building_evidence' },
    ...{ '< (': key, '::timestamptz, ': id, 'limit ': String(PAGE + 1) },
  }
  return [...statement.matchAll(/("?\w+"? = |limit |< \(|::timestamptz, )\$\d+/g)].map(
    ([, words = '']) => before[words],
  )
}

async function explained(name: string, values: (string | undefined)[]): Promise<string> {
  const client = await db.pool.connect()
  try {
    await client.query('begin')
    await client.query(`set local plan_cache_mode = force_generic_plan`)
    await client.query(`select set_config('recoup.scope', $1, true)`, [`${stage.accountId} ${values[0]}`])
    const literals = values.map((value) => client.escapeLiteral(String(value))).join(', ')
    const { rows } = await client.query(`explain (analyze, buffers) execute ${name}(${literals})`)
    await client.query('rollback')
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  } finally {
    client.release()
  }
}

import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { filters } from '../../api/routes/chargebacks/list-query.ts'
import { addVaried } from '../../bench/reads/varied.ts'
import { EXPANSIONS, listChargebacks } from '../../db/chargebacks/chargeback-list.ts'
import type { ChargebackFilter } from '../../db/chargebacks/list-filter.ts'
import { SORTS, type Sort } from '../../db/chargebacks/list-order.ts'
import { connect } from '../../db/core/connect.ts'
import { inScope } from '../../db/core/scope.ts'
import { asOwner, byOwner } from '../harness/database.ts'
import { until } from '../harness/until.ts'
import { addIntegration } from '../integration/api/chargebacks/chargeback-rows.ts'
import { createStage, type Stage } from '../integration/api/stage.ts'
import { explain } from './explain.ts'
import { PAGES, ROWS } from './faults.ts'

/** A million with RECOUP_TEST_ROWS=1000000. */
const ROWS_OF_MERCHANT = Number(process.env.RECOUP_TEST_ROWS ?? 150_000)
const MINUTES = 60_000
const DAY_MS = 86_400_000
const days = (n: number) => new Date(Date.now() + n * DAY_MS)

/** Each parameter of the list, by itself or with those that it requires, with values that many, few and no rows have. */
const QUESTIONS: Record<keyof typeof filters, ChargebackFilter[]> = {
  startDate: [{ startDate: days(-7) }, { startDate: days(-700) }],
  endDate: [{ endDate: days(-7) }, { endDate: days(-1090) }],
  dueAfter: [{ dueAfter: days(0) }, { dueAfter: days(-500), dueBefore: days(-490) }, { dueAfter: days(900) }],
  dueBefore: [{ dueBefore: days(7) }, { dueBefore: days(-1060) }],
  chargebackId: [{ chargebackId: 'dp_5' }, { chargebackId: 'dp_none' }],
  psp: [{ psp: ['stripe'] }, { psp: ['adyen', 'paypal'] }],
  pspStatus: [{ pspStatus: ['needs_response'] }, { pspStatus: ['won', 'lost'] }],
  status: [{ status: ['waiting_for_data', 'building_evidence'] }, { status: ['not_represented'] }],
  lifecycleStage: [{ lifecycleStage: ['inquiry', 'second_chargeback'] }, { lifecycleStage: ['chargeback'] }],
  reasonGroup: [{ reasonGroup: ['general'] }, { reasonGroup: ['fraud', 'authorization'] }],
  currency: [{ currency: ['JPY'] }, { currency: ['EUR', 'USD'] }],
  minAmount: [
    { currency: ['EUR'], minAmount: '450' },
    { currency: ['EUR'], minAmount: '1000000' },
  ],
  maxAmount: [
    { currency: ['EUR'], maxAmount: '20' },
    { currency: ['USD'], minAmount: '99.99', maxAmount: '100' },
  ],
  inScope: [{ inScope: true }, { inScope: false }],
  recommendation: [{ recommendation: 'Accept' }, { recommendation: 'Fight' }],
  search: [{ search: '4242' }, { search: 'arn77' }, { search: 'ch_77' }, { search: 'dp_77' }, { search: 'nothing' }],
  minEnrichmentScore: [{ minEnrichmentScore: '0' }],
  maxEnrichmentScore: [{ maxEnrichmentScore: '1' }],
  pspStatusChangeStartDate: [{ pspStatusChangeStartDate: days(-7) }],
  pspStatusChangeEndDate: [{ pspStatusChangeEndDate: days(-7) }],
}
/**
 * For each filter, the sorts that read nearly all rows of the merchant, because few rows match and they come last. An index for
 * each pair would make every write slower: docs/decisions/0048-every-statement-at-size.md has the figures.
 */
const WALKS: Partial<Record<keyof typeof filters, Sort[]>> = {
  startDate: ['dueDate'],
  endDate: ['-dueDate'],
  dueBefore: ['-postingDate'],
  pspStatusChangeStartDate: ['postingDate', 'dueDate'],
}
/** Amounts compare within one currency. */
const fits = ({ currency }: ChargebackFilter, sort: Sort) => !sort.endsWith('amount') || currency?.length === 1

const size = { chargebacks: ROWS_OF_MERCHANT, transactions: 0, integrations: 1, merchants: 1 }
let stage: Stage
let client: pg.Client
beforeAll(async () => {
  stage = await createStage()
  await addIntegration(stage.db, stage.ring, stage.merchantUuid)
  await addVaried(asOwner(stage.database.url), stage.merchantUuid, ROWS_OF_MERCHANT)
  client = new pg.Client(stage.database.url)
  await client.connect()
  await until('an index is enough to know that a row is visible', async () => {
    await byOwner(stage.database.url, sql`vacuum chargeback`)
    const { rows } = await client.query(
      `select relallvisible > 0 as visible from pg_class where relname = 'chargeback'`,
    )
    return rows[0].visible
  })
  await client.query(`set statement_timeout = '15s'`)
}, 20 * MINUTES)
afterAll(async () => {
  await client.end()
  await stage[Symbol.asyncDispose]()
})

/** A parameter as Postgres reads it from text. */
function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return `{${value.map((one) => `"${one}"`).join(',')}}`
  return String(value)
}

/** The statement that the list sends for the request. */
async function statementOf(request: Omit<Parameters<typeof listChargebacks>[1], 'merchantUuid'>) {
  const sent: { text: string; values: (string | null)[] }[] = []
  const db = connect(stage.database.url, { scope: 'none', max: 1 })
  db.pool.on('connect', (connection) => {
    const query = connection.query.bind(connection) as (...args: unknown[]) => unknown
    connection.query = ((...args: unknown[]) => {
      const [text, values] = args as [string | { text: string; values?: unknown[] }, unknown[]?]
      const own = typeof text === 'string' ? { text, values } : text
      if (own.text.includes(' as row from ')) sent.push({ text: own.text, values: (own.values ?? []).map(asText) })
      return query(...args)
    }) as typeof connection.query
  })
  const { accountId, merchantUuid } = stage
  await inScope({ accountId, merchantUuid }, () => listChargebacks(db, { merchantUuid, ...request }))
  await db.destroy()
  expect(sent).toHaveLength(1)
  return sent[0] as (typeof sent)[number]
}

/** What the statement reads, beyond the limits of every statement of the product. */
async function faultsOf(filter: ChargebackFilter, sort: Sort): Promise<string[]> {
  const statement = await statementOf({ filter, sort, limit: 50, page: 1, after: null, expand: EXPANSIONS })
  const cost = await explain(client, { ...statement, scope: 'system' }, size)
  return [
    ...cost.scanned.filter((table) => table === 'chargeback').map(() => 'reads all chargebacks'),
    ...(cost.rows > ROWS ? [`reads ${cost.rows} rows`] : []),
    ...(cost.pages > PAGES ? [`reads ${cost.pages} pages`] : []),
  ].map((fault) => `${JSON.stringify(filter)} by ${sort}: ${fault}`)
}

describe('each parameter of the list, over the chargebacks of one large merchant', () => {
  test.each(Object.entries(QUESTIONS))(
    '%s',
    async (name, questions) => {
      const faults: string[] = []
      const walks = WALKS[name as keyof typeof filters] ?? []
      for (const filter of questions)
        for (const sort of SORTS.filter((one) => fits(filter, one) && !walks.includes(one)))
          faults.push(...(await faultsOf(filter, sort)))
      expect(faults).toEqual([])
    },
    5 * MINUTES,
  )

  test('no filter, by each sort', async () => {
    for (const sort of SORTS.filter((one) => fits({}, one))) expect(await faultsOf({}, sort)).toEqual([])
  })
})

import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asOwner, createDatabase, type TestDatabase } from '../harness/database.ts'
import { statementFaults } from './faults.ts'
import { fill } from './fill.ts'
import { namedOf } from './named.ts'
import { readCollected } from './sent.ts'

/** Ten million with RECOUP_TEST_ROWS=10000000: half an hour, and 30 GB of disk. */
const ROWS = Number(process.env.RECOUP_TEST_ROWS ?? 1_000_000)
const size = { chargebacks: ROWS, transactions: ROWS, integrations: 10_000, merchants: 1_000 }
const MINUTES = 60_000

let database: TestDatabase
let owner: pg.Client
let app: pg.Client
beforeAll(async () => {
  database = await createDatabase()
  const second = new pg.Client(asOwner(database.url))
  owner = new pg.Client(asOwner(database.url))
  app = new pg.Client(database.url)
  await Promise.all([owner.connect(), second.connect(), app.connect()])
  await app.query(`set statement_timeout = '${Math.max(15, (15 * ROWS) / 1_000_000)}s'`)
  await fill([owner, second], size)
  await second.end()
}, 60 * MINUTES)
afterAll(async () => {
  await Promise.all([owner.end(), app.end()])
  await database[Symbol.asyncDispose]()
})

const check = async (fresh: boolean) => {
  const { faults, named } = await statementFaults(app, readCollected(), size, { fresh })
  expect(faults).toEqual([])
  expect([...named].sort()).toEqual(
    namedOf(size, fresh)
      .map(({ why }) => why)
      .sort(),
  )
}

describe(`over ${ROWS.toLocaleString('en')} chargebacks no statement of the product reads a whole large table or more than its limit`, () => {
  test('a sweep that joins with `or` fails the check', async () => {
    const text = `select distinct c.id from transaction_record t join chargeback c on t.merchant_uuid = c.merchant_uuid
      and (t.transaction_id = c.transaction_id or t.arn = c.arn) where t.updated_at > now() - interval '1 day'`
    const { faults } = await statementFaults(app, [{ text, values: [], scope: 'system' }], size, { fresh: true })
    expect(faults).toHaveLength(1)
  })

  test('before the first analyze', () => check(true), 30 * MINUTES)

  test(
    'after autovacuum',
    async () => {
      // Vacuum leaves index entries of few dead rows; those of the statements that were taken back are no part of the product.
      await owner.query('vacuum (analyze, index_cleanup on)')
      await check(false)
    },
    30 * MINUTES,
  )
})

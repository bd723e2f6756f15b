import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../../../../db/core/connect.ts'
import { watchStatements } from '../../../harness/statements.ts'
import type { Stage } from '../stage.ts'
import { addChargeback, type Place, stageWithIntegration } from './chargeback-rows.ts'

let stage: Stage
let at: Place
let db: ReturnType<typeof connect>
let app: ReturnType<Stage['secondApp']>
let sent: string[] = []
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
  db = connect(stage.database.url, { scope: 'none' })
  watchStatements(db.pool, (text) => {
    // Sent every half second per account and every five minutes per credential, not per request.
    if (!/revocation_epoch|last_used_at/.test(text)) sent.push(text)
  })
  app = stage.secondApp({ db })
  await addChargeback(stage.db, at)
  // The first request checks the token against the database.
  await statementsOf('?limit=10')
})
afterAll(async () => {
  await db.destroy()
  await stage[Symbol.asyncDispose]()
})

const read = (path: string) => stage.call('GET', `/v1/chargebacks${path}`, {}, app)

async function statementsOf(path: string) {
  sent = []
  const { status, body } = await read(path)
  expect(status).toBe(200)
  return { body, count: sent.length }
}

test('a list, a deep page, a cursor page and a single read send one statement for any number of rows', async () => {
  const { count } = await statementsOf('?limit=100')
  // The second one counts the request.
  expect(count).toBe(2)
  const ids = await Promise.all(Array.from({ length: 120 }, () => addChargeback(stage.db, at)))
  const first = await statementsOf('?limit=100')
  expect(first.body.data).toHaveLength(100)
  for (const path of ['?limit=10&page=9', `?limit=100&cursor=${first.body.nextCursor}`, '?psp=stripe', `/${ids[0]}`])
    expect((await statementsOf(path)).count, path).toBe(count)
  expect(first.count).toBe(count)
})

test('the status of an acceptance takes one statement, too', async () => {
  const id = await addChargeback(stage.db, at)
  await stage.call('POST', `/v1/chargebacks/${id}/accept`)
  expect((await statementsOf(`/${id}/accept`)).count).toBe(2)
})

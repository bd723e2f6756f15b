import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readClosedCases } from '../../../db/chargebacks/closed-cases.ts'
import { connect } from '../../../db/core/connect.ts'
import { watchStatements } from '../../harness/statements.ts'
import { type Place, stageWithIntegration } from '../api/chargebacks/chargeback-rows.ts'
import type { Stage } from '../api/stage.ts'

let stage: Stage
let at: Place
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
})
afterAll(() => stage[Symbol.asyncDispose]())

const close = (count: number, prefix: string) =>
  sql`insert into chargeback (id, merchant_uuid, integration_id, chargeback_id, psp, currency, amount_minor, amount_exponent,
      psp_status, answered, status, status_reason, lifecycle_stage, reason_group, content_hash, read_at, translation_version)
    select gen_random_uuid(), ${at.merchantUuid}, ${at.integrationId}, ${prefix} || n, 'stripe', 'USD', 1, 2, 'won', true,
      'not_represented', '-', 'chargeback', 'fraud', '', now(), 1 from generate_series(1, ${count}::int) n`.execute(
    stage.db,
  )

test('closed cases are counted for each read until there are 10,000; then the count is kept', async () => {
  const db = connect(stage.database.url, { scope: 'system', max: 1 })
  let statements = 0
  watchStatements(db.pool, () => void statements++)
  const won = async () => (await readClosedCases(db, [at.merchantUuid]))(at.merchantUuid, 'fraud').won
  await close(9_999, 'a')
  expect([await won(), await won(), statements]).toEqual([9_999, 9_999, 2])
  await close(1, 'b')
  expect([await won(), statements]).toEqual([10_000, 3])
  await close(1, 'c')
  expect([await won(), statements]).toEqual([10_000, 3])
  // Another merchant has none of them.
  expect((await readClosedCases(db, ['018f0000-0000-7000-8000-000000000001']))(at.merchantUuid, 'fraud').won).toBe(0)
  await db.destroy()
})

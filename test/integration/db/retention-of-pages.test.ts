import { afterAll, beforeAll, expect, test } from 'vitest'
import { expireRows } from '../../../db/retention/retention.ts'
import { type Place, stageWithIntegration } from '../api/chargebacks/chargeback-rows.ts'
import type { Stage } from '../api/stage.ts'

let stage: Stage
let at: Place
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
})
afterAll(() => stage[Symbol.asyncDispose]())

test('pages of lists are deleted 30 days after they were stored, a slice per step', async () => {
  const page = (page_key: string, days: number) => ({
    ...{ integration_id: at.integrationId, page_key, fingerprint: Buffer.alloc(32), translation_version: 1 },
    ...{ objects: 1, next: '{}', object_hashes: [1], stored_at: new Date(Date.now() - days * 86_400_000) },
  })
  const expired = Array.from({ length: 25 }, (_, n) => page(`behind ${n}`, 31))
  const rows = [...expired, page('', 31), page('first', 29), page('last', 0)]
  await stage.db.insertInto('list_page').values(rows).execute()
  const keys = async () =>
    (await stage.db.selectFrom('list_page').select('page_key').orderBy('page_key').execute()).map((row) => row.page_key)
  await expireRows(stage.db, [], 10)
  expect(await keys()).toHaveLength(18)
  for (let step = 0; step < 3; step++) await expireRows(stage.db, [], 10)
  expect(await keys()).toEqual(['first', 'last'])
})

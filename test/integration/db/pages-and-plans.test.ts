import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listChargebacks } from '../../../db/chargebacks/chargeback-list.ts'
import type { ChargebackFilter } from '../../../db/chargebacks/list-filter.ts'
import { closeDataWindows } from '../../../db/commands/deadline-sweeps.ts'
import { connect } from '../../../db/core/connect.ts'
import { createRemoval, quietRemovals } from '../../../db/erasure/removals.ts'
import { unverifiedIntegrations } from '../../../db/integrations/connections.ts'
import { findReferencedMerchant } from '../../../db/merchants/merchants.ts'
import { counterparts } from '../../../db/polling/drift.ts'
import { findWithoutContext } from '../../../db/polling/enrichment.ts'
import { quarantine, quarantined } from '../../../db/polling/quarantine.ts'
import { byOwner } from '../../harness/database.ts'
import { setScope, watchStatements } from '../../harness/statements.ts'
import { addChargeback, addIntegration, type Place, stageWithIntegration } from '../api/chargebacks/chargeback-rows.ts'
import type { Stage } from '../api/stage.ts'

let stage: Stage
let at: Place
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
})
afterAll(() => stage[Symbol.asyncDispose]())

const malformed = (text: string) => ({
  ...{ hash: createHash('sha256').update(text).digest(), reference: null, reason: 'it has no id' },
  text,
})

test('an object without an id that a page shows twice is quarantined once', async () => {
  const page = [malformed('{"a":1}'), malformed('{"a":2}'), malformed('{"a":1}')]
  await quarantine(stage.db, stage.ring, at.integrationId, page, [], 1)
  expect(await quarantined(stage.db, at.integrationId)).toHaveLength(2)
})

test('a dispute that needs a response soon gets its transaction first, one closed long ago last', async () => {
  const day = (count: number) => new Date(Date.now() + count * 86_400_000)
  const add = async (reference: string, psp_status: string, due_date: Date | null) => {
    await addChargeback(stage.db, at, { chargeback_id: reference, psp_status, due_date })
    await stage.db
      .insertInto('raw_object')
      .values({ integration_id: at.integrationId, kind: 'dispute', reference, sealed: '' })
      .execute()
  }
  await add('lost', 'lost', day(-400))
  await add('undated', 'needs_response', null)
  await add('week', 'needs_response', day(7))
  await add('tomorrow', 'needs_response', day(1))
  const found = await findWithoutContext(stage.db, at.integrationId, 10)
  expect(found.map((one) => one.reference)).toEqual(['tomorrow', 'week', 'undated', 'lost'])
})

test('unverified integrations are listed in turn, even if they stay unverified', async () => {
  const ids = await Promise.all([1, 2, 3].map(() => addIntegration(stage.db, stage.ring, stage.merchantUuid)))
  await stage.db.updateTable('integration').set({ status: 'FAILED' }).where('integration_id', 'in', ids).execute()
  const turns = [await unverifiedIntegrations(stage.db, 2), await unverifiedIntegrations(stage.db, 2)].flat()
  expect(new Set(turns)).toEqual(new Set(ids))
  expect(turns).toHaveLength(4)
})

test('removals whose runs may be lost are listed in turn', async () => {
  const who = { email: 'a@example.com', firstName: 'A', lastName: 'B' }
  const { db, ring, merchantUuid, credentialId } = stage
  const created = await Promise.all([1, 2, 3].map(() => createRemoval(db, ring, { merchantUuid, credentialId, who })))
  await db
    .updateTable('removal')
    .set({ requested_at: new Date(0) })
    .execute()
  const turns = [await quietRemovals(db, 30, 2), await quietRemovals(db, 30, 2)].flat()
  expect(turns.sort()).toEqual(created.map((one) => one.removalId).sort())
})

/** The query plan of the last statement of `work`, for a long table. */
async function planOf(
  work: (db: ReturnType<typeof connect>) => Promise<unknown>,
  scope: Parameters<typeof setScope>[1] = 'system',
): Promise<string> {
  const db = connect(stage.database.url, { scope: 'system', max: 1 })
  let last: { text: string; values: unknown[] } | undefined
  watchStatements(db.pool, (text, values) => {
    if (/^(select|with|delete)/.test(text.trim())) last = { text, values }
  })
  await work(db)
  await db.destroy()
  const client = new pg.Client(stage.database.url)
  await client.connect()
  await setScope(client, scope)
  // In a short table, a sequential scan and a sort are cheaper than any index.
  await client.query('set enable_seqscan = off; set enable_sort = off; set enable_bitmapscan = off')
  const { rows } = await client.query(`explain ${last?.text}`, last?.values)
  await client.end()
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

describe('an index serves', () => {
  test('chargebacks due within the longest data window of any account', async () => {
    expect(await planOf((db) => closeDataWindows(db, new Date('2001-01-01'), 10))).toMatch(
      /using chargeback_undecided on.*\n.*Index Cond: .*due_date > .* AND \(due_date <= /,
    )
  })

  test('the order of enrichment', async () => {
    const plan = await planOf((db) => findWithoutContext(db, at.integrationId, 25))
    expect(plan).toMatch(/using chargeback_enrichment_order on/)
  })

  test('the merchant that a header names by its referenceId or UUID', async () => {
    const { accountId, merchantUuid, referenceId } = stage
    await sql`
      insert into merchant (merchant_uuid, account_id, reference_id, merchant_name, website_url, contact_sealed)
      select gen_random_uuid(), account_id, 'shop-' || n, merchant_name, website_url, contact_sealed
      from merchant, generate_series(1, 1000) n`.execute(stage.db)
    await byOwner(stage.database.url, sql`analyze merchant`)
    const plan = (reference: string) =>
      planOf((db) => findReferencedMerchant(db, { accountId, groupId: null, reference }))
    expect(await plan(referenceId)).toMatch(/using merchant_account_id_reference_id_key on/)
    expect(await plan(merchantUuid.toUpperCase())).toMatch(/using merchant_pkey on/)
  })

  test('quarantined objects of a page', async () => {
    expect(await planOf((db) => quarantine(db, stage.ring, at.integrationId, [], ['du_1'], 1))).toMatch(
      /quarantine_of_reference/,
    )
    expect(await planOf((db) => counterparts(db, at.integrationId, ['du_1']))).toMatch(/quarantine_of_reference/)
  })
})

describe('an index serves the list of chargebacks', () => {
  beforeAll(async () => {
    await sql`
      insert into chargeback (id, merchant_uuid, integration_id, chargeback_id, psp, currency, amount_minor, amount_exponent,
        psp_status, status, status_reason, lifecycle_stage, reason_group, content_hash, read_at, translation_version)
      select gen_random_uuid(), ${at.merchantUuid}, ${at.integrationId}, 'filler-' || n, 'adyen', 'USD', 1, 2, 'lost',
        'not_represented', '-', 'chargeback', 'fraud', '', now(), 1 from generate_series(1, 1000) n`.execute(stage.db)
    await byOwner(stage.database.url, sql`analyze chargeback`)
  })

  test.each([
    ['chargeback_walk', {}],
    ['chargeback_by_psp', { psp: ['stripe'] }],
    ['chargeback_by_psp_status', { pspStatus: ['won'] }],
    ['chargeback_by_status', { status: ['waiting_for_data'] }],
  ] as [string, ChargebackFilter][])('%s', async (index, filter) => {
    const { accountId, merchantUuid } = stage
    const request = { merchantUuid, limit: 20, page: 1, after: null, filter }
    const plan = await planOf((db) => listChargebacks(db, request), { accountId, merchantUuid })
    expect(plan).toMatch(new RegExp(`using ${index} on`))
    // The index condition covers the policy, so that no filter for each row is left.
    expect(plan).not.toMatch(/Filter: .*(scope_|merchant_uuid)/)
  })
})

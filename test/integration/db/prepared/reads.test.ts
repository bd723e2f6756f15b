import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect } from '../../../../db/core/connect.ts'
import { inScope, type Scope } from '../../../../db/core/scope.ts'
import { PREPARED, PREPARED_FOR_SYSTEM } from '../../../../db/core/scoped-query.ts'
import { addChargeback, addIntegration, stageWithIntegration } from '../../api/chargebacks/chargeback-rows.ts'
import type { Stage } from '../../api/stage.ts'

let stage: Stage
let own: Scope
let other: Scope & object
/** One connection, whose statements have only the scope of the test. */
let db: ReturnType<typeof connect>
beforeAll(async () => {
  const { stage: made, at } = await stageWithIntegration()
  stage = made
  own = { accountId: stage.accountId, merchantUuid: stage.merchantUuid }
  const { merchantUuid } = await stage.newMerchant(stage.accountId)
  other = { accountId: stage.accountId, merchantUuid }
  await addChargeback(stage.db, at)
  const integrationId = await addIntegration(stage.db, stage.ring, merchantUuid)
  await addChargeback(stage.db, { merchantUuid, integrationId })
  db = connect(stage.database.url, { scope: 'none', max: 1 })
})
afterAll(async () => {
  await db.destroy()
  await stage[Symbol.asyncDispose]()
})

describe('a prepared statement', { retry: 0 }, () => {
  const account = () => ({ ...other, merchantUuid: null }) as Scope
  const merchantsSeen = async (by: typeof db) =>
    (await by.selectFrom('chargeback').select('merchant_uuid').execute()).map((row) => row.merchant_uuid)
  const read = async () =>
    (await sql<{ of: string }>`select merchant_uuid as "of" from chargeback ${PREPARED}`.execute(db)).rows
  const kept = async () =>
    (await db.pool.query('select generic_plans::int as plans from pg_prepared_statements where statement ~ $1', [
      'from chargeback .. prepared',
    ])) as { rows: { plans: number }[] }

  test('shows each merchant its own rows with the same plan, and is prepared for no other scope', async () => {
    for (let n = 0; n < 10; n++) {
      expect(await inScope('system', read)).toHaveLength(2)
      expect(await inScope(account(), read)).toEqual([])
    }
    expect((await kept()).rows).toEqual([])
    for (let n = 0; n < 10; n++) expect(await inScope(own, read)).toEqual([{ of: stage.merchantUuid }])
    const before = (await kept()).rows[0]?.plans ?? 0
    expect(before).toBeGreaterThan(0)
    for (let n = 0; n < 3; n++) expect(await inScope(other, read)).toEqual([{ of: other.merchantUuid }])
    expect((await kept()).rows).toEqual([{ plans: before + 3 }])
    expect(await inScope(account(), read)).toEqual([])
    expect(await read()).toEqual([])
  })

  test('is used within a transaction only for the scope that is set', async () => {
    await inScope(own, () =>
      db.transaction().execute(async (trx) => {
        const seen = await sql<{ of: string }>`select merchant_uuid as "of" from chargeback ${PREPARED}`.execute(trx)
        expect(seen.rows).toEqual([{ of: stage.merchantUuid }])
      }),
    )
    expect(await inScope(other, read)).toEqual([{ of: other.merchantUuid }])
  })

  test('is sent again without a name when a pooler has lost it, or has prepared it for another client', async () => {
    const open = () => {
      const fresh = connect(stage.database.url, { scope: 'none', max: 1 })
      const names = async () => (await fresh.pool.query('select name from pg_prepared_statements')).rows
      return { fresh, names, [Symbol.asyncDispose]: () => fresh.destroy() }
    }
    const seen = (fresh: typeof db) => inScope(own, () => merchantsSeen(fresh))
    await using first = open()
    expect(await seen(first.fresh)).toEqual([stage.merchantUuid])
    const [scope] = await first.names()
    await first.fresh.pool.query('deallocate all')
    for (let n = 0; n < 2; n++) expect(await seen(first.fresh)).toEqual([stage.merchantUuid])
    expect(await first.names()).toEqual([])
    await expect(inScope(own, () => sql`select 1 / 0`.execute(first.fresh))).rejects.toThrow(/division/)

    await using second = open()
    await second.fresh.pool.query(`prepare ${scope.name} as select 1`)
    for (let n = 0; n < 2; n++) expect(await seen(second.fresh)).toEqual([stage.merchantUuid])
  })

  test('for the system is prepared in no other scope', async () => {
    const forSystem = async () =>
      (await sql<{ of: string }>`select merchant_uuid as "of" from chargeback ${PREPARED_FOR_SYSTEM}`.execute(db)).rows
    const names = async () =>
      (await db.pool.query(`select from pg_prepared_statements where statement ~ 'prepared for the system'`)).rowCount
    for (let n = 0; n < 10; n++) expect(await inScope(own, forSystem)).toEqual([{ of: stage.merchantUuid }])
    expect(await names()).toBe(0)
    for (let n = 0; n < 10; n++) expect(await inScope('system', forSystem)).toHaveLength(2)
    expect(await names()).toBe(1)
    expect(await inScope(other, forSystem)).toEqual([{ of: other.merchantUuid }])
  })

  test('is planned with policies that depend only on the kind of a scope', async () => {
    const { rows } = await sql<{ name: string; volatile: string }>`
      select proname as name, provolatile as volatile from pg_proc
      where pronamespace = 'public'::regnamespace and prosrc ~ 'recoup.scope' order by 1`.execute(db)
    expect(rows).toEqual([
      { name: 'scope_kind', volatile: 'i' },
      { name: 'scope_system', volatile: 'i' },
    ])
  })
})

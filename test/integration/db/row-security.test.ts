import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect, type Database } from '../../../db/core/connect.ts'
import { migrate, migrator } from '../../../db/core/migrate.ts'
import { reportRowSecurity, rowSecurity, setRowSecurity } from '../../../db/core/row-security.ts'
import { inScope, type Scope } from '../../../db/core/scope.ts'
import { asOwner, createEmptyDatabase, withOwner } from '../../harness/database.ts'
import { watchStatements } from '../../harness/statements.ts'
import {
  addChargeback,
  addEvidenceFile,
  addIntegration,
  stageWithIntegration,
} from '../api/chargebacks/chargeback-rows.ts'
import type { Stage } from '../api/stage.ts'

/** Tables of ids and counts, which belong to no tenant. */
const WITHOUT_POLICY = [
  'deployment',
  'event_state',
  'kysely_migration',
  'kysely_migration_lock',
  'outbox',
  'rate_bucket',
  'request_count',
]

let stage: Stage
let own: Scope
let other: Scope & object
/** One connection, whose statements have only the scope of the test. */
let db: ReturnType<typeof connect>
let sent: string[] = []
beforeAll(async () => {
  const { stage: made, at } = await stageWithIntegration()
  stage = made
  own = { accountId: stage.accountId, merchantUuid: stage.merchantUuid }
  const { merchantUuid } = await stage.newMerchant(stage.accountId)
  other = { accountId: stage.accountId, merchantUuid }
  await addChargeback(stage.db, at)
  await addChargeback(stage.db, {
    merchantUuid,
    integrationId: await addIntegration(stage.db, stage.ring, merchantUuid),
  })
  db = connect(stage.database.url, { scope: 'none', max: 1 })
  watchStatements(db.pool, (text) => sent.push(text))
})
afterAll(async () => {
  await db.destroy()
  await stage[Symbol.asyncDispose]()
})

const merchantsSeen = async (by: Database = db) =>
  (await by.selectFrom('chargeback').select('merchant_uuid').execute()).map((row) => row.merchant_uuid)

describe('row-level security', () => {
  test('every table has a policy that is enforced, except those of no tenant', async () => {
    const { rows } = await sql<{
      name: string
    }>`select tablename as name from pg_tables where schemaname = 'public'`.execute(db)
    const tables = await rowSecurity(db)
    expect(tables.filter(({ enabled }) => !enabled)).toEqual([])
    const names = rows.map(({ name }) => name).toSorted()
    expect(names).toEqual([...tables.map(({ table }) => table), ...WITHOUT_POLICY].toSorted())
  })

  test('without a scope no table returns a row, and none accepts one', async () => {
    for (const { table } of await rowSecurity(db)) {
      const { rows } = await sql`select from ${sql.table(table)}`.execute(db)
      expect(rows, table).toEqual([])
    }
    await expect(
      sql`insert into account (account_id, name) values (gen_random_uuid(), 'A')`.execute(db),
    ).rejects.toThrow(/row-level security/)
  })

  test('a merchant sees only its own rows with any statement, and cannot write others', async () => {
    expect(await inScope(own, merchantsSeen)).toEqual([stage.merchantUuid])
    expect(await inScope(other, merchantsSeen)).toEqual([other.merchantUuid])
    expect((await inScope('system', merchantsSeen)).toSorted()).toEqual(
      [stage.merchantUuid, other.merchantUuid].toSorted(),
    )
    expect(await merchantsSeen()).toEqual([])
    const change = () => db.updateTable('integration').set({ integration_name: 'Mine' }).executeTakeFirst()
    expect((await inScope(own, change)).numUpdatedRows).toBe(1n)
    const give = () =>
      db
        .updateTable('integration')
        .set({ merchant_uuid: other.merchantUuid as string })
        .execute()
    await expect(inScope(own, give)).rejects.toThrow(/row-level security/)
  })

  test('an account itself sees its merchants, but not their chargebacks', async () => {
    const account: Scope = { accountId: stage.accountId, merchantUuid: null }
    expect(await inScope(account, merchantsSeen)).toEqual([])
    const merchants = await inScope(account, () => db.selectFrom('merchant').select('merchant_uuid').execute())
    expect(merchants).toHaveLength(2)
    const stranger: Scope = { ...account, accountId: stage.merchantUuid }
    expect(await inScope(stranger, () => db.selectFrom('merchant').select('merchant_uuid').execute())).toEqual([])
  })

  test('the scope costs no round trip, and ends with its transaction', async () => {
    sent = []
    await inScope(own, merchantsSeen)
    expect(sent).toHaveLength(1)
    sent = []
    await inScope(own, () =>
      db.transaction().execute(async (trx) => {
        await merchantsSeen(trx)
        await merchantsSeen(trx)
      }),
    )
    expect(sent.map((text) => text.split(' ')[0])).toEqual(['begin', 'select', 'select', 'commit'])
    const { rows } = await db.pool.query(`select current_setting('recoup.scope', true) as scope`)
    expect(rows).toEqual([{ scope: '' }])
  })

  test('a scope within a transaction applies to its statements, also after a rollback to a savepoint', async () => {
    await inScope(own, async () => {
      await db.transaction().execute(async (trx) => {
        expect(await inScope('system', () => merchantsSeen(trx))).toHaveLength(2)
        expect(await merchantsSeen(trx)).toEqual([stage.merchantUuid])
        await sql`savepoint here`.execute(trx)
        await inScope('system', () => merchantsSeen(trx))
        await expect(sql`select 1 / 0`.execute(trx)).rejects.toThrow(/division/)
        await sql`rollback to here`.execute(trx)
        expect(await inScope('system', () => merchantsSeen(trx))).toHaveLength(2)
        expect(await merchantsSeen(trx)).toEqual([stage.merchantUuid])
      })
    })
    expect(await merchantsSeen()).toEqual([])
  })

  test('concurrent statements in different scopes keep their own, even if some fail', async () => {
    const turns = Array.from({ length: 60 }, (_, n) => async () => {
      if (n % 3 === 2) return expect(inScope(own, () => sql`select 1 / 0`.execute(db))).rejects.toThrow(/division/)
      const scope = n % 3 ? own : other
      expect(await inScope(scope, merchantsSeen)).toEqual([(scope as typeof other).merchantUuid])
    })
    await Promise.all(turns.map((turn) => turn()))
  })

  test('bytes of files are counted in any order of scopes over one connection', async () => {
    const bytes = () => stage.db.selectFrom('account_usage').select('file_bytes').executeTakeFirst()
    const add = (scope: Scope, merchantUuid: string) =>
      inScope(scope, () => addEvidenceFile({ ...stage, db }, merchantUuid))
    await add('system', stage.merchantUuid)
    const one = (await bytes())?.file_bytes ?? 0n
    for (const scope of ['system', own, other, own, 'system', other, own] as (Scope & { merchantUuid?: string })[])
      await add(scope, scope.merchantUuid ?? stage.merchantUuid)
    expect(await bytes()).toEqual({ file_bytes: one * 8n })
  })

  test('no function keeps a plan over a table with a policy', async () => {
    const { rows } = await sql<{ name: string; body: string }>`
      select proname as name, prosrc as body from pg_proc where pronamespace = 'public'::regnamespace`.execute(db)
    expect(rows.length).toBeGreaterThan(5)
    // Statements inside quotes are planned at each call.
    const kept = rows.filter(({ body }) => /\b(select|insert|update|delete)\b/i.test(body.replace(/'[^']*'/g, '')))
    expect(kept.map(({ name }) => name)).toEqual([])
  })
})

describe('an older database', () => {
  test('is reported as unprotected, and is protected on request, also if a table is locked at first', async () => {
    await using database = await createEmptyDatabase()
    const before = connect(database.url, { scope: 'owner', max: 1, statementTimeoutMs: 0 })
    const { error } = await migrator(before).migrateTo('0017-retention')
    expect(error).toBeUndefined()
    await migrate(before, 'sandbox')
    const lines: object[] = []
    const log = { warn: (fields: object) => void lines.push(fields) }
    await reportRowSecurity(before, log)
    expect(lines).toEqual([{ reason: expect.stringContaining('database row-security --set on') }])
    expect((await rowSecurity(before)).some(({ enabled }) => enabled)).toBe(false)

    const holder = new pg.Client(asOwner(database.url))
    await holder.connect()
    await holder.query('begin; lock table merchant in share mode')
    const done = withOwner(database.url, (owner) => setRowSecurity(owner, true))
    // The table before it in the alphabet is free.
    const gate = async () => (await rowSecurity(before)).find(({ table }) => table === 'integration')?.enabled
    while (!(await gate())) await new Promise((resolve) => setTimeout(resolve, 20))
    expect((await rowSecurity(before)).find(({ table }) => table === 'merchant')?.enabled).toBe(false)
    await holder.query('commit')
    await holder.end()
    expect(await done).toContain('merchant')
    await reportRowSecurity(before, log)
    expect(lines).toHaveLength(1)
    await before.destroy()
  })
})

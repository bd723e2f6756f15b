import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect } from '../../../db/core/connect.ts'
import { inScope, type Scope } from '../../../db/core/scope.ts'
import { listPlaybooks, overridesOf, readPlaybook, storePlaybook } from '../../../db/evidence/evidence-playbooks.ts'
import { createAccount } from '../../../db/merchants/accounts.ts'
import { byOwner } from '../../harness/database.ts'
import { until } from '../../harness/until.ts'
import { addChargeback, addIntegration, type Place, stageWithIntegration } from '../api/chargebacks/chargeback-rows.ts'
import type { Stage } from '../api/stage.ts'

let stage: Stage
let at: Place
let other: { accountId: string; merchantUuid: string }
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
  const { accountId } = await createAccount(stage.db, { name: 'Other' })
  other = { accountId, merchantUuid: (await stage.newMerchant(accountId)).merchantUuid }
})
afterAll(() => stage[Symbol.asyncDispose]())

const body = (id: string) => ({ statements: [{ id, off: true }] })
const store = (id: string, accountId = stage.accountId, play = 'general', db = stage.db) =>
  storePlaybook(db, { accountId, play, body: body(id), createdBy: 'alice' })

describe('versions of an account’s playbook', () => {
  test('are counted for each account and play, and all of them stay readable', async () => {
    expect(await store('one')).toEqual({ version: 1, replaces: null })
    expect(await store('two')).toEqual({ version: 2, replaces: 1 })
    expect(await store('three', stage.accountId, 'credit')).toEqual({ version: 1, replaces: null })
    expect(await store('four', other.accountId)).toEqual({ version: 1, replaces: null })
    expect(await listPlaybooks(stage.db, stage.accountId)).toMatchObject([
      { play: 'credit', version: 1, body: body('three'), createdBy: 'alice', createdAt: expect.any(Date) },
      { play: 'general', version: 2, body: body('two') },
    ])
    const first = { accountId: stage.accountId, play: 'general', version: 1 }
    expect(await readPlaybook(stage.db, first)).toMatchObject({ version: 1, body: body('one') })
    expect(await readPlaybook(stage.db, { ...first, version: 9 })).toBeNull()
  })

  test('that are stored at the same moment follow each other: none is lost, none refused', async () => {
    const general = { accountId: stage.accountId, play: 'general' }
    const before = (await readPlaybook(stage.db, general))?.version ?? 0
    let racing: Promise<{ version: number }> | undefined
    const first = await stage.db.transaction().execute(async (trx) => {
      const stored = await storePlaybook(trx, { ...general, body: body('first'), createdBy: 'alice' })
      racing = store('second')
      racing.catch(() => {})
      await until('the other waits for it', waiting, { holds: (count) => count > 0 })
      return stored
    })
    expect([first.version, (await racing)?.version]).toEqual([before + 1, before + 2])
    for (const [index, id] of ['first', 'second'].entries())
      expect(await readPlaybook(stage.db, { ...general, version: before + 1 + index })).toMatchObject({
        body: body(id),
      })
  })

  test.each([
    ['changed', `update evidence_playbook set body = '{}'`],
    ['removed', 'delete from evidence_playbook where false'],
    ['changed by a replica', 'set session_replication_role = replica; delete from evidence_playbook'],
    ['emptied', 'truncate evidence_playbook'],
  ])('can’t be %s, not even by the owner of the table', async (_, statement) => {
    await expect(byOwner(stage.database.url, sql.raw(statement))).rejects.toThrow(/evidence_playbook is append-only/)
  })

  test('can’t be changed by the role of api, worker and operators', async () => {
    const change = stage.db.updateTable('evidence_playbook').set({ created_by: 'bob' }).execute()
    await expect(change).rejects.toThrow(/append-only/)
    await expect(stage.db.deleteFrom('evidence_playbook').execute()).rejects.toThrow(/append-only/)
  })

  test('need an account', async () => {
    const nobody = '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10'
    await expect(store('one', nobody)).rejects.toThrow(/no account/)
    await expect(listPlaybooks(stage.db, nobody)).rejects.toThrow(/no account/)
  })
})

describe('an account’s playbook belongs to no other account', () => {
  test('by the statements', async () => {
    const integrationId = await addIntegration(stage.db, stage.ring, other.merchantUuid)
    const own = await addChargeback(stage.db, at)
    const theirs = await addChargeback(stage.db, { merchantUuid: other.merchantUuid, integrationId })
    expect(Object.keys(await overridesOf(stage.db, own)).toSorted()).toEqual(['credit', 'general'])
    expect(await overridesOf(stage.db, theirs)).toEqual({ general: { version: 1, body: body('four') } })
    expect(await listPlaybooks(stage.db, other.accountId)).toMatchObject([{ version: 1, body: body('four') }])
  })

  test('by row-level security, with a statement that names no account', async () => {
    await using db = Object.assign(connect(stage.database.url, { scope: 'none', max: 1 }), {
      [Symbol.asyncDispose]: () => db.destroy(),
    })
    const accounts = async () => {
      const rows = await db.selectFrom('evidence_playbook').select('account_id').distinct().execute()
      return rows.map(({ account_id }) => account_id)
    }
    const own: Scope = { accountId: stage.accountId, merchantUuid: stage.merchantUuid }
    const theirs: Scope = { accountId: other.accountId, merchantUuid: null }
    expect(await inScope(own, accounts)).toEqual([stage.accountId])
    expect(await inScope(theirs, accounts)).toEqual([other.accountId])
    expect(await accounts()).toEqual([])
    const insert = () =>
      sql`insert into evidence_playbook (account_id, play, version, body, created_by)
        values (${other.accountId}, 'credit', 1, '{}', 'mallory')`.execute(db)
    await expect(inScope(own, insert)).rejects.toThrow(/row-level security/)
  })
})

async function waiting(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(stage.db)
  return rows[0]?.count ?? 0
}

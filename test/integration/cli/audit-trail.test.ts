import { userInfo } from 'node:os'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NOUNS } from '../../../cli/nouns.ts'
import { connect } from '../../../db/core/connect.ts'
import { endRotation } from '../../../db/integrations/secret-rotations.ts'
import { createEndpoint } from '../../../db/webhooks/endpoints.ts'
import { newKeys } from '../../../webhooks/sign.ts'
import { byOwner, createEmptyDatabase } from '../../harness/database.ts'
import { until } from '../../harness/until.ts'
import { addChargeback, addIntegration } from '../api/chargebacks/chargeback-rows.ts'
import { createStage, type Stage } from '../api/stage.ts'
import { operatorsOf, ownMerchant, playbookFile } from './audit-fixture.ts'

let stage: Stage
let recoup: ReturnType<typeof operatorsOf>['recoup']
let json: ReturnType<typeof operatorsOf>['json']
let accountId: string
let merchantUuid: string
let integrationId: string
beforeAll(async () => {
  stage = await createStage()
  ;({ recoup, json } = operatorsOf(stage))
  ;({ accountId, merchantUuid } = await ownMerchant(stage))
  integrationId = await addIntegration(stage.db, stage.ring, merchantUuid)
})
afterAll(() => stage[Symbol.asyncDispose]())

const why = ['--reason', 'The bank asked for it.']
const newest = async (action: string) => (await json('audit', 'list', '--action', action, '--limit', '1'))[0]

/** A dispute that is stored twice. @returns the one that stays */
async function duplicate(): Promise<string> {
  const [own, other] = await Promise.all([1, 2].map(() => addIntegration(stage.db, stage.ring, merchantUuid)))
  const dispute = { chargeback_id: 'du_twice', psp_account: 'acct_twice' }
  const kept = await addChargeback(stage.db, { merchantUuid, integrationId: own as string }, dispute)
  await addChargeback(stage.db, { merchantUuid, integrationId: other as string }, dispute)
  const update = stage.db.updateTable('integration').set({ status: 'INACTIVE' })
  await update.where('integration_id', '=', other as string).execute()
  return kept
}

/** Refuses the rotation in place of a worker. */
async function refuseRotation(): Promise<void> {
  const pending = () =>
    stage.db.selectFrom('secret_rotation').select('rotation_id').where('outcome', 'is', null).executeTakeFirst()
  const row = await until('a rotation waits', pending)
  await endRotation(stage.db, row?.rotation_id as string, { outcome: 'refused', code: 'secret_refused', reason: 'No.' })
}

/** Every command that changes something, with its arguments and its subject. */
const ACTIONS: Record<string, () => Promise<{ args: string[]; on?: string; meanwhile?: Promise<void> }>> = {
  'account create': async () => ({ args: ['--name', 'Another'] }),
  'account settings': async () => ({ args: ['--account', accountId, '--set', '{"represent": true}'], on: accountId }),
  'account data-points': async () => ({ args: ['--account', accountId, '--any'], on: accountId }),
  'evidence policy': async () => ({
    args: ['--merchant', merchantUuid, '--set', '{"mode": "manual"}'],
    on: merchantUuid,
  }),
  'group create': async () => ({ args: ['--account', accountId, '--name', 'EU'] }),
  'group add': async () => ({ args: await member() }),
  'group remove': async () => ({ args: await member() }),
  'credential issue': async () => ({ args: ['--account', accountId, '--name', 'N', '--scope', 'account'] }),
  'credential revoke': async () => {
    const { credentialId } = await json(
      'credential',
      'issue',
      '--account',
      accountId,
      '--name',
      'N',
      '--scope',
      'account',
    )
    return { args: [credentialId], on: credentialId }
  },
  'credential allow': async () => {
    const { credentialId } = await json(
      'credential',
      'issue',
      '--account',
      accountId,
      '--name',
      'N',
      '--scope',
      'account',
    )
    return { args: [credentialId, '--addresses', '192.0.2.0/24'], on: credentialId }
  },
  'key rotate': async () => ({ args: [] }),
  'key reseal': async () => ({ args: [], on: stage.ring.current }),
  'integration poll': async () => ({ args: [integrationId], on: integrationId }),
  'integration drift': async () => ({ args: [integrationId, '--wait', '1'], on: integrationId }),
  'integration quarantine': async () => ({ args: [integrationId, '--retry'], on: integrationId }),
  'integration go-live': async () => ({ args: [integrationId], on: integrationId }),
  'integration pause': async () => ({ args: [integrationId], on: integrationId }),
  'integration resume': async () => ({ args: [integrationId], on: integrationId }),
  'integration rotate': async () => ({ args: [integrationId], on: integrationId, meanwhile: refuseRotation() }),
  'integration duplicates': async () => ({ on: await duplicate(), args: ['--merge'] }),
  'webhook disable': async () => ({ args: [await endpoint()], on: endpointId }),
  'webhook replay': async () => {
    const args = [await endpoint(), '--failed-since', '2026-01-01T00:00:00Z']
    return { args, on: endpointId }
  },
  'playbook set': async () => {
    const file = playbookFile({ statements: [{ id: 'contact', off: true }] })
    return { args: ['--account', accountId, '--play', 'general', '--file', file], on: accountId }
  },
}
let endpointId = ''
const endpoint = async () => {
  endpointId = await createEndpoint(stage.db, stage.ring, {
    ...{ accountId, merchantUuid, url: 'https://shop.example/hooks', description: null, events: ['*'] },
    ...{ payload: 'full', signature: 'hmac', keys: newKeys('hmac'), publicKey: null, actor: 'test' },
  })
  const [listed] = await json('webhook', 'list', '--account', accountId)
  expect(listed).toMatchObject({ host: 'shop.example', pending: 0 })
  expect((await json('webhook', 'show', endpointId)).changes).toMatchObject([{ what: 'created', actor: 'test' }])
  return endpointId
}
const member = async () => {
  const { groupId } = await json('group', 'create', '--account', accountId, '--name', 'EU')
  return ['--group', groupId, '--merchant', merchantUuid]
}

describe('the audit trail', () => {
  test.each(Object.keys(ACTIONS))('%s is recorded with operator, time, action, subject and reason', async (action) => {
    const { args, on, meanwhile } = (await ACTIONS[action]?.()) ?? { args: [] }
    await recoup([...action.split(' '), ...args, ...why])
    await meanwhile
    const record = await newest(action)
    expect(record).toMatchObject({
      operator: 'alice',
      action,
      outcome: 'done',
      reason: why[1],
      databaseRole: 'recoup_app',
    })
    expect(Date.now() - Date.parse(record.actedAt)).toBeLessThan(60_000)
    if (on !== undefined) expect(record.subject).toBe(on)
  })

  test('no command that changes something is missing above', () => {
    const changing = Object.entries(NOUNS).flatMap(([noun, verbs]) =>
      Object.entries(verbs).flatMap(([verb, { changes }]) => (changes ? `${noun} ${verb}`.trim() : [])),
    )
    const database = ['compression', 'row-security', 'second-person'].map((verb) => `database ${verb}`)
    const elsewhere = ['job resolve', 'approve', 'migrate', 'trigger', ...database]
    expect(changing.toSorted()).toEqual([...Object.keys(ACTIONS), ...elsewhere].toSorted())
    // The others only read. A new command must be added to one of the lists.
    const reading = Object.entries(NOUNS).flatMap(([noun, verbs]) =>
      Object.entries(verbs).flatMap(([verb, { changes }]) => (changes ? [] : `${noun} ${verb}`.trim())),
    )
    expect(reading.toSorted()).toEqual([
      ...['account list', 'assessment calibrate', 'audit list', 'credential list', 'database status'],
      ...['evidence outcomes', 'evidence packages', 'group list'],
      ...['integration list', 'integration show', 'job list', 'job show', 'key list', 'key status', 'listen'],
      ...['merchant list', 'merchant show', 'playbook check', 'playbook preview', 'playbook show'],
      ...['temporal views', 'webhook list', 'webhook show'],
    ])
  })

  test('holds no token and no secret', async () => {
    const { token } = await json('credential', 'issue', '--account', accountId, '--name', 'N', '--scope', 'account')
    const { out } = await recoup(['audit', 'list', '--limit', '1000', '--json'])
    expect(out).not.toContain(token.split('.')[2])
    expect(out).not.toContain('plantedInTheTrail')
    expect(await recoup(['integration', 'pause', integrationId, '--reason', 'Key sk_test_abcdefgh'])).toMatchObject({
      ...{ code: 2, err: expect.stringContaining('contain a secret') },
    })
  })

  test('an action that cannot be recorded is rolled back, and a refused one is not recorded', async () => {
    const before = (await json('audit', 'list', '--limit', '1000')).length
    await stage.db
      .updateTable('integration')
      .set({ status: 'INACTIVE' })
      .where('integration_id', '=', integrationId)
      .execute()
    expect((await recoup(['integration', 'pause', integrationId, ...why])).code).toBe(1)
    await stage.db
      .updateTable('integration')
      .set({ status: 'SUCCESSFUL' })
      .where('integration_id', '=', integrationId)
      .execute()
    expect(await json('audit', 'list', '--limit', '1000')).toHaveLength(before)

    await byOwner(
      stage.database.url,
      sql`alter table operator_action add constraint full_disk check (action <> 'integration pause') not valid`,
    )
    expect((await recoup(['integration', 'pause', integrationId, ...why])).code).toBe(1)
    await byOwner(stage.database.url, sql`alter table operator_action drop constraint full_disk`)
    expect(await json('integration', 'show', integrationId)).toMatchObject({ paused: false })
  })

  test.each([
    ['changed', 'update operator_action set operator = $$bob$$'],
    ['removed', 'delete from operator_action where false'],
    ['emptied', 'truncate operator_action'],
    ['changed by a replica', 'set session_replication_role = replica; delete from operator_action'],
  ])('can’t be %s, not even by the owner of the table', async (_, statement) => {
    const before = await json('audit', 'list', '--limit', '1000')
    await expect(byOwner(stage.database.url, sql.raw(statement))).rejects.toThrow(/operator_action is append-only/)
    expect(await json('audit', 'list', '--limit', '1000')).toEqual(before)
  })

  test('is listed newest first, by filters and page by page, in lines of at most 100 columns', async () => {
    const all = await json('audit', 'list', '--limit', '1000')
    const ids = all.map(({ actionId }: { actionId: number }) => actionId)
    expect(ids).toEqual(ids.toSorted((one: number, other: number) => other - one))
    expect(await json('audit', 'list', '--before', String(ids[2]), '--limit', '2')).toEqual(all.slice(3, 5))
    expect(await json('audit', 'list', '--by', 'nobody')).toEqual([])
    const on = await json('audit', 'list', '--on', integrationId)
    expect(on).toEqual(all.filter(({ subject }: { subject: string }) => subject === integrationId))
    expect(await json('audit', 'list', '--until', all.at(-1).actedAt)).toEqual([])
    expect(await json('audit', 'list', '--since', all[0].actedAt)).toEqual([all[0]])

    const long = 'A long story of a bank that changes its systems. '.repeat(10).trim()
    await recoup(['integration', 'pause', integrationId, '--reason', long, '--operator', 'x'.repeat(100)])
    const { out } = await recoup(['audit', 'list'])
    const lines = out.split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100)
    expect(out.replaceAll(/\s+/g, ' ')).toContain(`on: ${integrationId} reason: ${long}`)
  })

  test('names the operator by --operator, RECOUP_OPERATOR, or the machine’s user', async () => {
    const named = async (args: string[], env: Record<string, string>) => {
      expect((await recoup(['integration', 'poll', integrationId, ...args], env)).err).toBe('')
      return (await newest('integration poll')).operator
    }
    expect(await named(['--operator', 'bob'], { RECOUP_OPERATOR: 'carol' })).toBe('bob')
    expect(await named([], { RECOUP_OPERATOR: 'carol' })).toBe('carol')
    expect(await named([], { RECOUP_OPERATOR: '' })).toBe(userInfo().username)
    expect(await recoup(['integration', 'poll', integrationId], { RECOUP_OPERATOR: '; drop' })).toMatchObject({
      ...{ code: 2, err: expect.stringContaining('RECOUP_OPERATOR: a name has') },
    })
  })

  test('has the migrations of a new database', async () => {
    await using database = await createEmptyDatabase()
    expect((await recoup(['migrate'], { DATABASE_URL: database.url })).code).toBe(0)
    const db = connect(database.url, { scope: 'system', max: 1 })
    const rows = await db.selectFrom('operator_action').selectAll().execute()
    await db.destroy()
    expect(rows).toMatchObject([{ action: 'migrate', operator: 'alice' }])
    expect(JSON.stringify(rows[0]?.details)).toContain('0001-initial')
  })
})

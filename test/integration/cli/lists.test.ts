import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NOUNS } from '../../../cli/nouns.ts'
import { addToGroup, createGroup } from '../../../db/merchants/groups.ts'
import { createMerchant } from '../../../db/merchants/merchants.ts'
import { quarantine } from '../../../db/polling/quarantine.ts'
import { buildDraft } from '../../interface/resources.ts'
import { addChargeback, addIntegration } from '../api/chargebacks/chargeback-rows.ts'
import { createStage, type Stage } from '../api/stage.ts'
import { operatorsOf, ownMerchant } from './audit-fixture.ts'

const LONG = 'A name as long as a merchant with many words and Unterfreundschaftsbezeigungen would choose it, Ltd.'

let stage: Stage
let recoup: ReturnType<typeof operatorsOf>['recoup']
let json: ReturnType<typeof operatorsOf>['json']
let integrationId: string
let accountId: string
let groupId: string
let drafted: string
beforeAll(async () => {
  stage = await createStage()
  ;({ recoup, json } = operatorsOf(stage))
  const { db, ring, merchantUuid } = stage
  ;({ accountId } = await ownMerchant(stage))
  integrationId = await addIntegration(db, ring, merchantUuid, { integrationName: LONG })
  const id = await addChargeback(db, { merchantUuid, integrationId })
  expect((await stage.call('POST', `/v1/chargebacks/${id}/accept`)).status).toBe(200)
  drafted = await addChargeback(db, { merchantUuid, integrationId })
  await buildDraft(db, ring, drafted)
  const reason = 'The bank changes its systems until Monday, and the PSP refuses every request of Recoup meanwhile.'
  await db
    .updateTable('integration')
    .set({ status: 'FAILED', status_reason: reason, verified_at: new Date() })
    .execute()
  const failed = { status: 'failed', error: reason, error_code: 'psp_rejected', completed_at: new Date() }
  await db.updateTable('command').set(failed).execute()
  ;({ groupId } = await createGroup(db, { accountId, name: LONG }))
  await createMerchant(db, ring, {
    ...{ accountId, merchantName: LONG, websiteUrl: `https://example.com/${'x'.repeat(200)}` },
    contact: { email: 'planted@example.com', firstName: 'Planted', lastName: 'Person' },
  }).then((made) => addToGroup(db, { groupId, merchantUuid: made.merchantUuid }))
  const bad = { hash: Buffer.from('aa', 'hex'), reference: `du_${'y'.repeat(60)}`, reason, text: '{}' }
  await quarantine(db, ring, integrationId, [bad], [], 1)
  const issue = ['credential', 'issue', '--account', accountId, '--name', LONG.slice(0, 90), '--scope', 'account']
  expect((await recoup([...issue, '--addresses', '192.0.2.0/24,2001:db8::/32'])).err).toBe('')
})
afterAll(() => stage[Symbol.asyncDispose]())

/** Arguments of the commands that need some. */
const ARGUMENTS: Record<string, () => string[]> = {
  'evidence packages': () => [drafted],
  'integration quarantine': () => [integrationId],
  'playbook show': () => ['--play', 'not_received'],
}
/** Have no row here; a stage cannot connect one PSP account twice. */
const EMPTY = ['integration duplicates', 'evidence outcomes', 'webhook list']
const LISTS = Object.entries(NOUNS).flatMap(([noun, verbs]) =>
  Object.entries(verbs).flatMap(([verb, { list }]) => (list ? [`${noun} ${verb}`] : [])),
)

describe('every list', () => {
  test.each(LISTS)('%s has lines of at most 100 columns, all fields with --wide, and JSON', async (list) => {
    const words = [...list.split(' '), ...(ARGUMENTS[list]?.() ?? [])]
    const { out, err, code } = await recoup(words)
    expect({ err, code }).toEqual({ err: '', code: 0 })
    const rows = await json(...words)
    expect(rows.length > 0).toBe(!EMPTY.includes(list))
    expect(out.split('\n').filter((line) => line.length > 100)).toEqual([])
    const wide = (await recoup([...words, '--wide'])).out.split('\n')
    if (rows.length > 0) expect(wide[0]?.split(/ +/)).toEqual(Object.keys(rows[0]))
    expect(wide).toHaveLength(rows.length === 0 ? 1 : rows.length + 1)
    const [field] = Object.keys(rows[0] ?? {})
    for (const row of rows) expect(wide.join('\n')).toContain(String(row[field as string]))
  })

  test('what is named `list` is one', () => {
    const named = Object.entries(NOUNS).flatMap(([noun, verbs]) => ('list' in verbs ? [`${noun} list`] : []))
    expect(LISTS).toEqual(expect.arrayContaining(named))
    expect(LISTS.length).toBeGreaterThan(10)
  })

  test('--wide is no option of a command that prints one thing', async () => {
    expect(await recoup(['integration', 'show', integrationId, '--wide'])).toMatchObject({ code: 2 })
  })
})

describe('merchants, groups and signing keys', () => {
  test('merchants are listed newest first, by account, group and referenceId, and shown without their contact', async () => {
    const all = await json('merchant', 'list')
    expect(all).toHaveLength(3)
    const [newest] = all
    expect(newest).toMatchObject({ merchantName: LONG, accountId, groupIds: [groupId], status: 'SetupIncomplete' })
    const uuids = async (...args: string[]) =>
      (await json('merchant', 'list', ...args)).map((one: { merchantUuid: string }) => one.merchantUuid)
    expect(await uuids('--account', accountId)).toEqual([newest.merchantUuid, all[1].merchantUuid])
    expect(await uuids('--group', groupId)).toEqual([newest.merchantUuid])
    expect(await uuids('--reference', newest.referenceId)).toEqual([newest.merchantUuid])
    expect(await uuids('--limit', '1')).toEqual([newest.merchantUuid])
    expect(await json('merchant', 'show', newest.merchantUuid)).toEqual(newest)
    expect(await json('merchant', 'show', stage.merchantUuid)).toMatchObject({ integrations: 1 })
    expect(JSON.stringify(all)).not.toMatch(/planted/i)
    expect(await recoup(['merchant', 'show', integrationId])).toMatchObject({
      ...{ code: 1, err: expect.stringContaining('There is no merchant') },
    })
  })

  test('a merchant has the status that its clients read', async () => {
    const { token } = await stage.issue({ accountId: stage.accountId, scope: 'account' })
    const { body } = await stage.call('GET', `/v1/merchants/${stage.merchantUuid}`, { token })
    const { status } = await json('merchant', 'show', stage.merchantUuid)
    expect(status).toBe('IntegrationError')
    expect(body.status).toBe(status)
  })

  test('groups are listed with the number of their members, by account and by member', async () => {
    const { groupId: other } = await createGroup(stage.db, { accountId: stage.accountId, name: 'EU' })
    const groups = await json('group', 'list')
    expect(groups).toMatchObject([
      { groupId, name: LONG, merchants: 1, accountId },
      { groupId: other, merchants: 0 },
    ])
    expect(await json('group', 'list', '--account', stage.accountId)).toEqual([groups[1]])
    const [{ merchantUuid }] = await json('merchant', 'list', '--group', groupId)
    expect(await json('group', 'list', '--merchant', merchantUuid)).toEqual([groups[0]])
  })

  test('signing keys are listed with what each is for', async () => {
    const states = async () => (await json('key', 'list')).map(({ state }: { state: string }) => state)
    expect(await states()).toEqual(['signs'])
    await recoup(['key', 'rotate', '--reason', 'Yearly.'])
    expect(await states()).toEqual(['signs', 'verifies'])
    const now = new Date().toISOString()
    await recoup(['key', 'rotate', '--reason', 'Leaked.', '--cut-off', now])
    expect(await states()).toEqual(['signs', 'retired', 'retired'])
    expect(JSON.stringify(await json('key', 'list'))).not.toMatch(/KEY-----|sealed/i)
  })
})

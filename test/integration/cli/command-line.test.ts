import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { userInfo } from 'node:os'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommandLine } from '../../../cli/run.ts'
import { connect } from '../../../db/core/connect.ts'
import { readKeyRing } from '../../../db/core/seal.ts'
import { createIntegration } from '../../../db/integrations/integrations.ts'
import { createMerchant } from '../../../db/merchants/merchants.ts'
import { createDatabase, type TestDatabase } from '../../harness/database.ts'

const keys = `k1:${randomBytes(32).toString('base64')}`
let database: TestDatabase
let db: ReturnType<typeof connect>
beforeAll(async () => {
  database = await createDatabase()
  db = connect(database.url, { scope: 'system' })
})
afterAll(async () => {
  await db.destroy()
  await database[Symbol.asyncDispose]()
})

async function recoup(args: string[], env: Record<string, string> = {}) {
  let out = ''
  let err = ''
  const code = await runCommandLine(args, {
    env: { DATABASE_URL: database.url, RECOUP_ENCRYPTION_KEYS: keys, ...env },
    out: (text) => {
      out += `${text}\n`
    },
    err: (text) => {
      err += `${text}\n`
    },
  })
  return { code, out, err }
}
async function json(...args: string[]) {
  const { code, out, err } = await recoup([...args, '--json'])
  expect(err).toBe('')
  expect(code).toBe(0)
  return JSON.parse(out)
}
const NOBODY = '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10'
const messages = async () =>
  (await db.selectFrom('outbox').selectAll().orderBy('outbox_id').execute()).map((one) => one.kind)

describe('npm run recoup', () => {
  it('creates accounts, groups and credentials, and removes members and credentials', async () => {
    const { accountId } = await json('account', 'create', '--name', 'Acme')
    expect(await json('account', 'list')).toMatchObject([{ accountId, name: 'Acme', merchants: 0 }])
    const contact = { email: 'a@example.com', firstName: 'A', lastName: 'B' }
    const { merchantUuid } = await createMerchant(db, readKeyRing(keys), {
      accountId,
      merchantName: 'Shop',
      websiteUrl: 'https://example.com',
      contact,
    })
    const { groupId } = await json('group', 'create', '--account', accountId, '--name', 'EU')
    const membership = ['--group', groupId, '--merchant', merchantUuid]
    expect(await json('group', 'add', ...membership)).toMatchObject({ member: true })
    expect(await json('group', 'remove', ...membership, '--reason', 'It left.')).toMatchObject({ member: false })

    const expires = new Date(Date.now() + 3_600_000).toISOString()
    const issued = await json(
      'credential',
      'issue',
      '--account',
      accountId,
      ...['--name', 'ERP of the shop', '--role', 'work', '--addresses', '192.0.2.0/24, 2001:db8::/32'],
      '--scope',
      'merchant',
      '--merchant',
      merchantUuid,
      '--expires',
      expires,
    )
    expect(Object.keys(issued)).toEqual(['credentialId', 'token', 'expiresAt'])
    expect(issued.token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    const listed = await json('credential', 'list', '--account', accountId)
    expect(listed).toMatchObject([
      {
        ...{ credentialId: issued.credentialId, scope: 'merchant', revokedAt: null },
        ...{ name: 'ERP of the shop', role: 'work', addresses: ['192.0.2.0/24', '2001:db8::/32'] },
      },
    ])
    expect(JSON.stringify(listed)).not.toContain(issued.token)
    const { revokedAt } = await json('credential', 'revoke', issued.credentialId, '--reason', 'Leaked.')
    expect(await json('credential', 'list')).toMatchObject([{ revokedAt }])
    expect(await json('key', 'rotate', '--cut-off', expires, '--reason', 'Yearly.')).toMatchObject({
      retired: [expect.any(String)],
    })
  })

  it('issues tokens for 90 days, and none for longer than the setting allows', async () => {
    const { accountId } = await json('account', 'create', '--name', 'Acme')
    const issue = (args: string[], env: Record<string, string> = {}) => {
      const all = [
        'credential',
        'issue',
        '--account',
        accountId,
        '--scope',
        'account',
        '--name',
        'N',
        ...args,
        '--json',
      ]
      return recoup(all, env)
    }
    const days = async (args: string[], env?: Record<string, string>) =>
      Math.round((Date.parse(JSON.parse((await issue(args, env)).out).expiresAt) - Date.now()) / 86_400_000)
    const inDays = (count: number) => new Date(Date.now() + count * 86_400_000).toISOString()
    expect(await days([])).toBe(90)
    expect(await days(['--expires', inDays(364)])).toBe(364)
    expect(await days([], { RECOUP_TOKEN_MAX_DAYS: '30' })).toBe(30)
    expect(await days(['--expires', inDays(400)], { RECOUP_TOKEN_MAX_DAYS: '500' })).toBe(400)
    expect(await issue(['--expires', inDays(366)])).toMatchObject({
      ...{ code: 1, err: expect.stringContaining('must be within 365 days') },
    })
    expect(await issue(['--expires', inDays(31)], { RECOUP_TOKEN_MAX_DAYS: '30' })).toMatchObject({ code: 1 })
    expect(await issue([], { RECOUP_TOKEN_MAX_DAYS: '0' })).toMatchObject({ code: 2 })
    expect(await issue(['--role', 'admin'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('read, work, manage'),
    })
    expect(await issue(['--addresses', '10.0.0.0/40'])).toMatchObject({
      ...{ code: 2, err: expect.stringContaining('"10.0.0.0/40" is no address block') },
    })
  })

  it('operates integrations through their rows and the outbox', async () => {
    const { accountId } = await json('account', 'create', '--name', 'Operated')
    const contact = { email: 'a@example.com', firstName: 'A', lastName: 'B' }
    const ring = readKeyRing(keys)
    const merchant = { accountId, merchantName: 'Shop', websiteUrl: 'https://example.com', contact }
    const { merchantUuid } = await createMerchant(db, ring, merchant)
    const { integrationId } = await createIntegration(db, ring, {
      merchantUuid,
      source: 'stripe',
      integrationName: 'Stripe',
      externalIdentifier: 'acct_1',
      secretType: 'APIKEY_ONLY',
      secretPayload: { apiKey: 'rk_test_plantedSecret' },
      goLiveDate: null,
    })
    expect(await messages()).toEqual(['verify_integration'])
    expect(await json('integration', 'poll', integrationId)).toMatchObject({ asked: 'verification' })
    await db.updateTable('integration').set({ status: 'SUCCESSFUL', verified_at: new Date() }).execute()
    expect(await json('integration', 'poll', integrationId)).toMatchObject({ asked: 'poll' })
    const why = ['--operator', 'alice', '--reason', 'The bank moves.']
    expect(await json('integration', 'pause', integrationId, ...why)).toMatchObject({ paused: true, by: 'alice' })
    const problem = expect.stringMatching(/^Its polls are paused since 2.* UTC by alice: The bank moves\.$/)
    expect(await json('integration', 'show', integrationId)).toMatchObject({
      ...{ paused: true, pauseChangedBy: 'alice', pauseReason: 'The bank moves.', problem },
      pauseChangedAt: expect.stringMatching(/^2/),
    })
    expect(await json('integration', 'list')).toMatchObject([{ paused: true, problem }])
    expect(await json('integration', 'resume', integrationId)).toMatchObject({ paused: false })
    expect(await json('integration', 'show', integrationId)).toMatchObject({
      ...{ paused: false, pauseChangedBy: userInfo().username, pauseReason: null, problem: null },
    })
    expect(await messages()).toEqual([
      'verify_integration',
      'verify_integration',
      'poll_now',
      'sync_schedule',
      'sync_schedule',
    ])
    expect(await json('integration', 'show', integrationId)).toMatchObject({ goLiveWaits: true, goLiveDate: null })
    const date = '2027-01-01T00:00:00.000Z'
    const polls = { next_poll_at: date, poll_workflow: 'poll-shard:2-now', poll_failures: 1 }
    const bySchedule = { polledBy: `schedule poll:${integrationId}`, nextPollAt: null, pollFailures: 0 }
    expect(await json('integration', 'show', integrationId)).toMatchObject(bySchedule)
    await db.updateTable('integration').set(polls).execute()
    const byShard = { polledBy: 'poll-shard:2-now', nextPollAt: date, pollFailures: 1 }
    expect(await json('integration', 'show', integrationId)).toMatchObject(byShard)
    expect(await json('integration', 'go-live', integrationId, '--date', date)).toMatchObject({ goLiveDate: date })
    const shown = await recoup(['integration', 'show', integrationId])
    expect(shown.out).toContain(date)
    expect(shown.out).not.toContain('plantedSecret')
    expect((await recoup(['integration', 'list'])).out).toContain(integrationId)
    await db.updateTable('integration').set({ status: 'INACTIVE' }).execute()
    expect(await recoup(['integration', 'pause', integrationId, '--reason', 'Again.'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('INACTIVE'),
    })
  })

  it('lists jobs', async () => {
    expect(await json('job', 'list', '--needs-attention', '--status', 'inProgress', '--limit', '5')).toEqual([])
    expect((await recoup(['job', 'list'])).out).toBe('none\n')
  })

  it('migrates repeatedly', async () => {
    expect(await json('migrate')).toEqual({ applied: [] })
  })

  it.each([
    [[], 0, 'credential issue'],
    [['credential', 'issue', '--help'], 0, '--scope'],
  ])('shows help: %j', async (args, code, part) => {
    expect(await recoup(args)).toMatchObject({ code, out: expect.stringContaining(part) })
  })

  it.each([
    [['nonsense'], 2, 'not one of account'],
    [['account'], 2, 'not one of create, list'],
    [['account', 'create'], 2, '--name is missing'],
    [['account', 'create', '--nmae', 'x'], 2, '--nmae'],
    [['credential', 'revoke', 'x', '--reason', 'Leaked.'], 2, 'not an id'],
    [['credential', 'revoke', NOBODY, '--reason', 'Leaked.'], 1, 'There is no credential'],
    [['integration', 'pause', NOBODY, '--reason', 'Because.'], 1, 'There is no integration'],
    [['integration', 'pause', NOBODY, '--reason', ' '], 2, '--reason must be one line'],
    [['integration', 'pause', NOBODY], 2, '--reason is missing'],
    [['integration', 'poll', NOBODY, '--operator', '<b>'], 2, '--operator: a name has'],
    [['approve', NOBODY], 1, 'There is no request'],
    [['audit', 'list', '--limit', '0'], 2, '--limit must be a whole number from 1 to 1000'],
    [['job', 'list', '--status', 'done'], 2, 'created, inProgress, failed, succeeded'],
    [['job', 'show', NOBODY], 1, 'There is no job'],
    [['key', 'rotate', '--cut-off', 'tomorrow', '--reason', 'Yearly.'], 2, 'date-time'],
  ])('says what is wrong: %j', async (args, code, part) => {
    expect(await recoup(args)).toMatchObject({ code, out: '', err: expect.stringContaining(part) })
  })

  it('runs as a process with exit codes and two output streams', async () => {
    const child = spawn(process.execPath, ['--import', 'tsx', 'cli/main.ts', 'account', 'nonsense'])
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    expect({ code, out, err }).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('create, list'),
    })
  })

  it('says what to do when there is no database', async () => {
    const none = await recoup(['account', 'list'], { DATABASE_URL: '', RECOUP_DATA_FOLDER: '/nonexistent' })
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining('DATABASE_URL') })
    const down = await recoup(['account', 'list'], { DATABASE_URL: 'postgres://127.0.0.1:1/none' })
    expect(down).toMatchObject({ code: 1, err: expect.stringContaining('Postgres does not respond') })
  })
})

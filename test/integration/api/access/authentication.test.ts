import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createAccount } from '../../../../db/merchants/accounts.ts'
import { revokeCredential } from '../../../../db/merchants/credentials.ts'
import { addToGroup, createGroup, removeFromGroup } from '../../../../db/merchants/groups.ts'
import { rotateSigningKey } from '../../../../db/merchants/signing-keys.ts'
import { createStage, type Stage } from '../stage.ts'

let stage: Stage
/** An account with two merchants and a group that holds the first. */
let two: { accountId: string; groupId: string; account: string; group: string; first: string; second: string }
beforeAll(async () => {
  stage = await createStage()
  const { accountId } = await createAccount(stage.db, { name: 'Two' })
  const { merchantUuid: first } = await stage.newMerchant(accountId, 'first')
  const { merchantUuid: second } = await stage.newMerchant(accountId, 'second')
  const { groupId } = await createGroup(stage.db, { accountId, name: 'Group' })
  await addToGroup(stage.db, { groupId, merchantUuid: first })
  const { token: account } = await stage.issue({ accountId, scope: 'account' })
  const { token: group } = await stage.issue({ accountId, scope: 'group', groupId })
  two = { accountId, groupId, account, group, first, second }
})
afterEach(() => vi.restoreAllMocks())
afterAll(() => stage[Symbol.asyncDispose]())

const get = (options: Parameters<Stage['call']>[2] = {}, path = '/v1/chargebacks') => stage.call('GET', path, options)
const refusal = (message: string) => ({
  status: 401,
  body: { status: 401, error: 'Unauthorized', message: `Authorization error. ${message}` },
})
const AMBIGUOUS = refusal('Account has more than one merchant; set the reference account header')
const UNREACHABLE = refusal('Account has no permission to access the referenced account')
const INVALID = refusal('Credential is invalid')

describe('the Authorization header', () => {
  it('is missing', async () => {
    const response = await get({ token: '' })
    expect(response).toMatchObject(refusal('Missing token header'))
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/)
  })

  it.each([
    '',
    'Bearer',
    'Bearer ',
    'Bearer abc',
    'Bearer a.b',
    'Bearer a.b.c.d',
    'Bearer a.b.',
    'Bearer a.b=.c',
    'Bearer a.b.c d',
    'Basic dXNlcjpwYXNz',
    'Token a.b.c',
    'a.b.c',
  ])('is malformed: "%s"', async (authorization) => {
    expect(await get({ token: '', headers: { authorization } })).toMatchObject(refusal('Invalid token format'))
  })

  it('holds an invalid token', async () => {
    expect(await get({ token: 'a.b.c' })).toMatchObject(INVALID)
  })

  it('may have its scheme in any case', async () => {
    expect((await get({ token: '', headers: { authorization: `bEARER ${stage.token}` } })).status).toBe(200)
  })
})

describe('an account credential', () => {
  it('needs no header with one merchant', async () => {
    const { accountId } = await createAccount(stage.db, { name: 'One' })
    await stage.newMerchant(accountId)
    const { token } = await stage.issue({ accountId, scope: 'account' })
    expect((await get({ token })).status).toBe(200)
  })

  it('is refused if the account has no merchant', async () => {
    const { accountId } = await createAccount(stage.db, { name: 'None' })
    const { token } = await stage.issue({ accountId, scope: 'account' })
    expect(await get({ token })).toMatchObject(refusal('Account has no merchant to act on'))
    expect(await get({ token, merchant: 'x' })).toMatchObject(refusal('Account has no merchant to act on'))
  })

  it('needs the header with several merchants', async () => {
    expect(await get({ token: two.account })).toMatchObject(AMBIGUOUS)
    expect(await get({ token: two.account, merchant: ' ' })).toMatchObject(AMBIGUOUS)
  })

  it('reaches each of its merchants by referenceId or merchantUuid', async () => {
    for (const merchant of ['first', 'second', two.first, two.second, two.first.toUpperCase()])
      expect((await get({ token: two.account, merchant })).status).toBe(200)
  })

  it('cannot reach a merchant of another account or one that does not exist', async () => {
    for (const merchant of [stage.merchantUuid, stage.referenceId, 'nobody', 'FIRST', "' or 1=1 --", '\u00fc'])
      expect(await get({ token: two.account, merchant }), merchant).toMatchObject(UNREACHABLE)
  })

  it('needs the header as soon as a response confirms a second merchant', async () => {
    const { accountId } = await createAccount(stage.db, { name: 'Grows' })
    await stage.newMerchant(accountId)
    const { token } = await stage.issue({ accountId, scope: 'account' })
    const body = { merchantName: 'Second', websiteUrl: 'https://second.example', email: 'a@b.cd' }
    const names = { firstName: 'A', lastName: 'B' }
    const other = stage.secondApp()
    const inOther = async () => (await stage.call('GET', '/v1/chargebacks', { token }, other)).status
    expect([(await get({ token })).status, await inOther()]).toEqual([200, 200])
    expect((await stage.call('POST', '/v1/merchants', { token, body: { ...body, ...names } })).status).toBe(201)
    expect(await get({ token })).toMatchObject(AMBIGUOUS)
    await expect.poll(inOther, { timeout: 1_000, interval: 50 }).toBe(401)
  })

  it('needs the header soon after an operator created a second merchant', async () => {
    const { accountId } = await createAccount(stage.db, { name: 'Grows' })
    await stage.newMerchant(accountId)
    const { token } = await stage.issue({ accountId, scope: 'account' })
    expect((await get({ token })).status).toBe(200)
    await stage.newMerchant(accountId)
    await expect.poll(async () => (await get({ token })).status, { timeout: 1_000, interval: 50 }).toBe(401)
  })
})

describe('a group credential', () => {
  it('always needs the header', async () => {
    expect(await get({ token: two.group })).toMatchObject(AMBIGUOUS)
  })

  it('reaches the members of its group only', async () => {
    expect((await get({ token: two.group, merchant: 'first' })).status).toBe(200)
    expect(await get({ token: two.group, merchant: 'second' })).toMatchObject(UNREACHABLE)
    expect(await get({ token: two.group, merchant: stage.referenceId })).toMatchObject(UNREACHABLE)
  })

  it('loses a member within a second', async () => {
    await addToGroup(stage.db, { groupId: two.groupId, merchantUuid: two.second })
    const status = async () => (await get({ token: two.group, merchant: 'second' })).status
    await expect.poll(status, { timeout: 1_000, interval: 50 }).toBe(200)
    await removeFromGroup(stage.db, { groupId: two.groupId, merchantUuid: two.second })
    await expect.poll(status, { timeout: 1_000, interval: 50 }).toBe(401)
  })
})

describe('a merchant credential', () => {
  it('needs no header, and accepts one that names its merchant', async () => {
    expect((await get()).status).toBe(200)
    for (const merchant of [stage.referenceId, stage.merchantUuid]) expect((await get({ merchant })).status).toBe(200)
  })

  it('cannot reach another merchant, even of its own account', async () => {
    const { token } = await stage.issue({ accountId: two.accountId, scope: 'merchant', merchantUuid: two.first })
    expect(await get({ token, merchant: 'second' })).toMatchObject(UNREACHABLE)
    expect(await get({ token, merchant: stage.referenceId })).toMatchObject(UNREACHABLE)
  })
})

describe('account-level endpoints', () => {
  const message = 'Credential is scoped to merchants and cannot be used on account level endpoints'
  it.each([
    ['GET', '/v1/merchants'],
    ['POST', '/v1/merchants'],
    ['GET', '/v1/merchants/0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10'],
  ])('%s %s refuses merchant and group credentials', async (method, path) => {
    expect(await stage.call(method, path)).toMatchObject(refusal(message))
    expect(await stage.call(method, path, { token: two.group, merchant: 'first' })).toMatchObject(refusal(message))
  })

  it('ignore the reference header of an account credential', async () => {
    expect((await get({ token: two.account, merchant: 'nobody' }, '/v1/merchants')).status).not.toBe(401)
  })
})

describe('a credential', () => {
  it('is refused within a second after its revocation, in every process, although it is cached', async () => {
    const { token, credentialId } = await stage.issue({
      accountId: stage.accountId,
      scope: 'merchant',
      merchantUuid: stage.merchantUuid,
    })
    const other = stage.secondApp()
    const statuses = async () =>
      Promise.all(
        [stage.app, other].map(async (app) => (await stage.call('GET', '/v1/chargebacks', { token }, app)).status),
      )
    expect(await statuses()).toEqual([200, 200])
    expect(await statuses()).toEqual([200, 200])
    await revokeCredential(stage.db, credentialId)
    // A clock that is set back must not prolong the life of a cache entry.
    const back = Date.now() - 3_600_000
    vi.spyOn(Date, 'now').mockReturnValue(back)
    await sleep(1_000)
    expect(await statuses()).toEqual([401, 401])
    expect(await get({ token })).toMatchObject(INVALID)
  })

  it('is refused 60 s after its expiry, which allows for clock skew', async () => {
    const start = Date.now()
    let now = start
    const app = stage.secondApp({ now: () => new Date(now) })
    const { token, expiresAt } = await stage.issue({
      accountId: stage.accountId,
      scope: 'account',
      expiresAt: new Date(start + 100_000),
    })
    const status = async () => (await stage.call('GET', '/v1/chargebacks', { token }, app)).status
    expect(await status()).toBe(200)
    now = expiresAt.getTime() + 59_000
    expect(await status()).toBe(200)
    now = expiresAt.getTime() + 61_000
    expect(await status()).toBe(401)
  })

  it('is refused after the cut-off of its signing key, while newer tokens are valid', async () => {
    await using own = await createStage()
    const status = async (token: string) => (await own.call('GET', '/v1/chargebacks', { token })).status
    expect(await status(own.token)).toBe(200)
    await rotateSigningKey(own.db, own.ring)
    const { token } = await own.issue({ accountId: own.accountId, scope: 'account' })
    expect([await status(own.token), await status(token)]).toEqual([200, 200])
    await rotateSigningKey(own.db, own.ring, { cutOff: new Date() })
    await expect.poll(() => status(own.token), { timeout: 1_000, interval: 50 }).toBe(401)
    expect(await status(token)).toBe(401)
    const { token: newest } = await own.issue({ accountId: own.accountId, scope: 'account' })
    expect(await status(newest)).toBe(200)
  })

  it('has the time of its last use stored', async () => {
    await get()
    const lastUsed = async () =>
      (
        await stage.db
          .selectFrom('credential')
          .select('last_used_at')
          .where('credential_id', '=', stage.credentialId)
          .executeTakeFirst()
      )?.last_used_at
    await expect.poll(lastUsed).toBeInstanceOf(Date)
  })
})

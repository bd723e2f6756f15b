import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { open, sealContext } from '../../../../db/core/seal.ts'
import { createAccount } from '../../../../db/merchants/accounts.ts'
import { createStage, type Stage } from '../stage.ts'

const PLANTED = 'rk_test_plantedSecret4711'
let stage: Stage
let foreign: { token: string; integrationId: string }
beforeAll(async () => {
  stage = await createStage()
  const { accountId } = await createAccount(stage.db, { name: 'Other' })
  await stage.newMerchant(accountId)
  const { token } = await stage.issue({ accountId, scope: 'account' })
  const { body } = await create({}, { token })
  foreign = { token, integrationId: body.integrationId }
})
afterAll(() => stage[Symbol.asyncDispose]())

const hex = () => randomUUID().replaceAll('-', '').slice(0, 16)
const valid = () => ({
  externalIdentifier: `acct_${hex()}`,
  integrationName: 'Stripe Europe',
  source: 'stripe',
  secretType: 'APIKEY_ONLY',
  secretPayload: { apiKey: PLANTED },
})
const create = (changes: object = {}, options = {}) =>
  stage.call('POST', '/v1/integrations', { body: { ...valid(), ...changes }, ...options })
const stored = (id: string) =>
  stage.db.selectFrom('integration').selectAll().where('integration_id', '=', id).executeTakeFirstOrThrow()

describe('POST /integrations', () => {
  it('stores it PENDING with its secret sealed, and requests its verification', async () => {
    const response = await create()
    expect(response.status).toBe(201)
    expect(Object.keys(response.body)).toEqual(['integrationId'])
    const row = await stored(response.body.integrationId)
    expect(row).toMatchObject({ status: 'PENDING', merchant_uuid: stage.merchantUuid, go_live_waits: false })
    expect(row.secret_sealed).not.toContain(PLANTED)
    const context = { integrationId: row.integration_id, source: 'stripe', merchantUuid: stage.merchantUuid }
    expect(open(stage.ring, row.secret_sealed, sealContext.integrationSecret(context))).toBe(
      JSON.stringify({ apiKey: PLANTED }),
    )
    const messages = await stage.db.selectFrom('outbox').selectAll().where('kind', '=', 'verify_integration').execute()
    const message = messages.find((one) => JSON.stringify(one.payload).includes(row.integration_id))
    expect(stage.dispatched).toContain(message?.outbox_id)
  })

  it('keeps further keys of the secret, and returns none', async () => {
    const { body, text } = await create({ secretPayload: { apiKey: PLANTED, note: 'kept' } })
    const row = await stored(body.integrationId)
    const context = { integrationId: row.integration_id, source: 'stripe', merchantUuid: stage.merchantUuid }
    expect(JSON.parse(open(stage.ring, row.secret_sealed, sealContext.integrationSecret(context)))).toEqual({
      apiKey: PLANTED,
      note: 'kept',
    })
    const read = await stage.call('GET', `/v1/integrations/${body.integrationId}`)
    const list = await stage.call('GET', '/v1/integrations?limit=100')
    for (const seen of [text, read.text, list.text, ...stage.lines]) expect(seen).not.toMatch(/planted|kept/)
  })

  it('goes live at once, on a date, or waits', async () => {
    const [now, dated, waiting] = await Promise.all([
      create(),
      create({ goLiveDate: '2026-05-01T02:00:00+02:00' }),
      create({ goLiveDate: null }),
    ])
    expect(await stored(now.body.integrationId)).toMatchObject({ go_live_date: null, go_live_waits: false })
    expect(await stored(waiting.body.integrationId)).toMatchObject({ go_live_date: null, go_live_waits: true })
    const read = await stage.call('GET', `/v1/integrations/${dated.body.integrationId}`)
    expect(read.body.goLiveDate).toBe('2026-05-01T00:00:00.000Z')
  })

  it('accepts merchantAccountCodes and a parent of the same merchant', async () => {
    const parent = (await create()).body.integrationId
    const { body } = await create({ merchantAccountCodes: ['EU', 'US'], parentIntegrationId: parent })
    expect(await stored(body.integrationId)).toMatchObject({
      merchant_account_codes: ['EU', 'US'],
      parent_integration_id: parent,
    })
  })

  it('returns the same 404 for a missing parent and another merchant’s, and stores nothing', async () => {
    const before = await count()
    for (const parentIntegrationId of [foreign.integrationId, randomUUID(), 'x'])
      expect(await create({ parentIntegrationId })).toMatchObject({
        status: 404,
        body: { code: 'integration_not_found' },
      })
    expect(await count()).toBe(before)
  })

  it('refuses an identifier of the merchant’s own integrations that are not INACTIVE', async () => {
    const same = { externalIdentifier: `acct_${hex()}` }
    const { body } = await create(same)
    expect(await create(same)).toMatchObject({ status: 400, body: { code: 'duplicate_integration' } })
    expect((await create(same, { token: foreign.token })).status).toBe(201)
    await stage.db
      .updateTable('integration')
      .set({ status: 'INACTIVE' })
      .where('integration_id', '=', body.integrationId)
      .execute()
    expect((await create(same)).status).toBe(201)
  })

  it('creates one integration for many concurrent requests for the same account', async () => {
    const same = { externalIdentifier: `acct_${hex()}` }
    const responses = await Promise.all(Array.from({ length: 8 }, () => create(same)))
    expect(responses.map((response) => response.status).sort()).toEqual([201, ...Array(7).fill(400)])
  })

  it.each([
    ['BASIC_AUTH', { clientId: 'a', clientSecret: 'b' }],
    ['PUBLIC_SECRET_KEY', { secretKey: 'a' }],
    ['HMAC', { hmac: 'a', apiKey: 'b' }],
    ['USERNAME_PASSWORD', { username: 'a', password: 'b' }],
    ['APIKEY', { apiKey: 'a' }],
  ])('names the accepted types when stripe is given %s', async (secretType, secretPayload) => {
    const response = await create({ secretType, secretPayload })
    expect(response).toMatchObject({ status: 400, body: { code: 'secret_type_not_accepted' } })
    expect(response.body.message).toContain('APIKEY_ONLY')
  })

  it('refuses recoup_sandbox with 403 in production', async () => {
    const app = stage.secondApp({ environment: 'production' })
    const { token } = await stage.issue({
      accountId: stage.accountId,
      scope: 'account',
      environment: 'production',
    } as never)
    const body = { ...valid(), source: 'recoup_sandbox' }
    const response = await stage.call('POST', '/v1/integrations', { body, token }, app)
    expect(response).toMatchObject({ status: 403, body: { code: 'sandbox_only' } })
  })

  it.each([
    ['externalIdentifier', { externalIdentifier: '' }],
    ['externalIdentifier', { externalIdentifier: 'x'.repeat(256) }],
    ['externalIdentifier', { externalIdentifier: undefined }],
    ['externalIdentifier', { externalIdentifier: null }],
    ['externalIdentifier', { externalIdentifier: 'a\0b' }],
    ['externalIdentifier', { externalIdentifier: 7 }],
    ['integrationName', { integrationName: undefined }],
    ['integrationName', { integrationName: '\ud800' }],
    ['source', { source: 'Stripe' }],
    ['source', { source: 'klarna' }],
    ['secretType', { secretType: 'OAUTH' }],
    ['secretPayload', { secretPayload: 'rk_test' }],
    ['secretPayload', { secretPayload: null }],
    ['secretPayload', { secretPayload: [] }],
    ['secretPayload.apiKey', { secretPayload: {} }],
    ['secretPayload.apiKey', { secretPayload: { apiKey: 5 } }],
    ['secretPayload.apiKey', { secretPayload: { apiKey: '' } }],
    ['secretPayload', { secretPayload: { apiKey: 'rk_test_4711abc', note: '\0' } }],
    ['goLiveDate', { goLiveDate: 'soon' }],
    ['goLiveDate', { goLiveDate: '2026-01-01' }],
    ['merchantAccountCodes', { merchantAccountCodes: 'EU' }],
    ['merchantAccountCodes.1', { merchantAccountCodes: ['EU', ''] }],
    ['merchantAccountCodes', { merchantAccountCodes: null }],
    ['parentIntegrationId', { parentIntegrationId: 7 }],
    ['colour', { colour: 'red' }],
    ['__proto__', JSON.parse('{"__proto__":{"admin":true}}')],
  ])('names %s', async (field, changes) => {
    const before = await count()
    const body = `{${Object.entries({ ...valid(), ...omitProto(changes) })
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
      .concat(field === '__proto__' ? ['"__proto__":{"admin":true}'] : [])
      .join(',')}}`
    const response = await stage.call('POST', '/v1/integrations', { body })
    expect(response).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect(response.body.message).toContain(`${field}: `)
    expect(response.text).not.toContain(PLANTED)
    expect(await count()).toBe(before)
  })

  it('names all invalid fields in one response, those of the secret too', async () => {
    const wrong = { integrationName: undefined, externalIdentifier: '', secretPayload: {}, colour: 'red' }
    const { body } = await stage.call('POST', '/v1/integrations', { body: JSON.stringify({ ...valid(), ...wrong }) })
    for (const field of ['externalIdentifier', 'integrationName', 'secretPayload.apiKey', 'colour'])
      expect(body.message).toContain(`${field}: `)
  })

  it('accepts an identifier of 255 characters', async () => {
    for (const externalIdentifier of [`acct_${'x'.repeat(250)}`])
      expect((await create({ externalIdentifier })).status).toBe(201)
  })

  it('names all invalid fields in one response', async () => {
    const body = { source: 'x', secretType: 'y', colour: 1, shape: 2 }
    const { body: error } = await stage.call('POST', '/v1/integrations', { body })
    for (const field of [
      'externalIdentifier',
      'integrationName',
      'source',
      'secretType',
      'secretPayload',
      'colour',
      'shape',
    ])
      expect(error.message).toContain(`${field}: `)
  })
})

const omitProto = (changes: object) =>
  Object.fromEntries(Object.entries(changes).filter(([key]) => key !== '__proto__'))
const count = async () => (await stage.db.selectFrom('integration').select('integration_id').execute()).length

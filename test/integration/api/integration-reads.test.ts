import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../../../db/accounts.ts'
import { createStage, type Stage } from './stage.ts'

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

describe('GET /integrations', () => {
  it('is a bare array, newest first, paged, of this merchant only', async () => {
    await using own = await createStage()
    const made: string[] = []
    for (let n = 0; n < 12; n++)
      made.unshift((await own.call('POST', '/v1/integrations', { body: valid() })).body.integrationId)
    const idsOf = async (query: string) =>
      (await own.call('GET', `/v1/integrations${query}`)).body.map(
        (one: { integrationId: string }) => one.integrationId,
      )
    expect(await idsOf('')).toEqual(made.slice(0, 10))
    expect(await idsOf('?page=2')).toEqual(made.slice(10))
    expect(await idsOf('?page=3')).toEqual([])
    expect(await idsOf('?limit=12')).toEqual(made)
    expect(await idsOf(`?integrationId=${made[3]}`)).toEqual([made[3]])
    expect(await idsOf(`?integrationId=${foreign.integrationId}`)).toEqual([])
  })

  it('is narrowed by the time of creation, both ends included', async () => {
    await using own = await createStage()
    const { body } = await own.call('POST', '/v1/integrations', { body: valid() })
    const row = await own.db.selectFrom('integration').select('created_at').executeTakeFirstOrThrow()
    const at = row.created_at.toISOString()
    const later = new Date(row.created_at.getTime() + 1).toISOString()
    const earlier = new Date(row.created_at.getTime() - 1).toISOString()
    const found = async (query: string) => (await own.call('GET', `/v1/integrations?${query}`)).body.length
    expect(body.integrationId).toBeDefined()
    expect(await found(`startDate=${at}&endDate=${at}`)).toBe(1)
    expect(await found(`startDate=${later}`)).toBe(0)
    expect(await found(`endDate=${earlier}`)).toBe(0)
  })

  it.each([
    'limit=9',
    'limit=101',
    'page=0',
    'integrationId=x',
    'startDate=x',
    'startDate=2026-01-02T00:00:00Z&endDate=2026-01-01T00:00:00Z',
  ])('refuses %s', async (query) => {
    const answer = await stage.call('GET', `/v1/integrations?${query}`)
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect(answer.body.message).toContain(query.split('=')[0])
  })
})

describe('GET /integrations/{id}', () => {
  const read = (id: string, options = {}) => stage.call('GET', `/v1/integrations/${id}`, options)

  it('answers the integration without an envelope', async () => {
    const { body } = await create()
    expect((await read(body.integrationId)).body).toEqual({
      integrationId: body.integrationId,
      source: 'stripe',
      status: 'PENDING',
    })
  })

  it('answers 400 for a malformed id, 404 for another merchant’s and for none', async () => {
    expect(await read('not-an-id')).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    const missing = { status: 404, body: { code: 'integration_not_found' } }
    expect(await read(randomUUID())).toMatchObject(missing)
    expect(await read(foreign.integrationId)).toMatchObject(missing)
    expect((await read(foreign.integrationId, { token: foreign.token })).status).toBe(200)
  })
})

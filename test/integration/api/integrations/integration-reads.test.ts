import { randomBytes, randomUUID } from 'node:crypto'
import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { setPaused } from '../../../../db/integrations/integration-operations.ts'
import { listIntegrations } from '../../../../db/integrations/integrations.ts'
import { createAccount } from '../../../../db/merchants/accounts.ts'
import { quarantine } from '../../../../db/polling/quarantine.ts'
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

  it('needs as many statements for twenty integrations as for one', async () => {
    await using own = await createStage()
    let statements = 0
    const { merchantUuid, db } = own
    const countOf = async (limit: number) => {
      statements = 0
      const page = listIntegrations(db.withPlugin(counting), { merchantUuid, limit, page: 1 })
      return [(await page).length, statements]
    }
    const counting: KyselyPlugin = {
      transformQuery({ node }) {
        statements++
        return node
      },
      transformResult: async ({ result }) => result,
    }
    for (let n = 0; n < 20; n++) await own.call('POST', '/v1/integrations', { body: valid() })
    expect(await countOf(1)).toEqual([1, 1])
    expect(await countOf(20)).toEqual([20, 1])
  })

  it('is filtered by the time of creation, both ends included', async () => {
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
    const response = await stage.call('GET', `/v1/integrations?${query}`)
    expect(response).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect(response.body.message).toContain(query.split('=')[0])
  })
})

describe('GET /integrations/{id}', () => {
  const read = (id: string, options = {}) => stage.call('GET', `/v1/integrations/${id}`, options)

  it('returns the integration without an envelope', async () => {
    const { body } = await create()
    expect((await read(body.integrationId)).body).toEqual({
      integrationId: body.integrationId,
      integrationName: 'Stripe Europe',
      source: 'stripe',
      status: 'PENDING',
      statusChangedAt: expect.stringMatching(/^2.*Z$/),
      quarantined: 0,
    })
  })

  it('shows its last poll, its last notification and its problem, alone and in the list', async () => {
    const { integrationId } = (await create()).body
    const row = stage.db.updateTable('integration').where('integration_id', '=', integrationId)
    const reason = 'Stripe refused the API key. Connect a valid key.'
    const at = (minute: number) => `2026-01-01T00:0${minute}:00.000Z`
    await row
      .set({
        status: 'FAILED',
        status_reason: reason,
        status_changed_at: at(3),
        polled_at: at(2),
        notification_at: at(1),
      })
      .execute()
    const unreadable = ['du_1', 'du_2'].map((reference) => ({
      hash: randomBytes(32),
      reference,
      reason: 'r',
      text: '{}',
    }))
    await quarantine(stage.db, stage.ring, integrationId, unreadable, [], 1)
    const expected = {
      ...{ integrationId, integrationName: 'Stripe Europe', source: 'stripe', status: 'FAILED', statusReason: reason },
      ...{ statusChangedAt: at(3), lastPolledAt: at(2), lastNotificationAt: at(1), quarantined: 2, problem: reason },
    }
    expect((await read(integrationId)).body).toEqual(expected)
    const list = await stage.call('GET', `/v1/integrations?integrationId=${integrationId}`)
    expect(list.body).toEqual([expected])
    await setPaused(stage.db, integrationId, { paused: true, by: 'alice', reason: 'The bank moves' })
    expect((await read(integrationId)).body.problem).toMatch(
      /^Its polls are paused since .* by the operator: The bank moves\. S/,
    )
    expect(JSON.stringify((await read(integrationId)).body)).not.toContain(PLANTED)
  })

  it('returns 400 for a malformed id, 404 for a missing integration and another merchant’s', async () => {
    expect(await read('not-an-id')).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    const missing = { status: 404, body: { code: 'integration_not_found' } }
    expect(await read(randomUUID())).toMatchObject(missing)
    expect(await read(foreign.integrationId)).toMatchObject(missing)
    expect((await read(foreign.integrationId, { token: foreign.token })).status).toBe(200)
  })
})

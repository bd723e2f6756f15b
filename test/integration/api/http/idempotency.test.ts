import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../../../../db/merchants/accounts.ts'
import { addChargeback, type Place, stageWithIntegration } from '../chargebacks/chargeback-rows.ts'
import type { Stage } from '../stage.ts'

let stage: Stage
let at: Place
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
})
afterAll(() => stage[Symbol.asyncDispose]())

const body = () => ({
  externalIdentifier: `acct_${randomUUID().replaceAll('-', '')}`,
  integrationName: 'Stripe',
  source: 'stripe',
  secretType: 'APIKEY_ONLY',
  secretPayload: { apiKey: 'rk_test_plantedSecret' },
})
const create = (key: string, of: object | string, options: Parameters<Stage['call']>[2] = {}, app = stage.app) =>
  stage.call('POST', '/v1/integrations', { body: of, ...options, headers: { 'idempotency-key': key } }, app)
const keys = (key: string) => stage.db.selectFrom('idempotency_key').selectAll().where('key', '=', key).execute()

describe('Idempotency-Key', () => {
  it('returns the stored response for the same request, from another process too', async () => {
    const [key, of] = [randomUUID(), body()]
    const first = await create(key, of)
    const again = await create(key, of, {}, stage.secondApp())
    expect([first.status, again.status]).toEqual([201, 201])
    expect(again.text).toBe(first.text)
    expect([first, again].map((response) => response.headers.get('idempotent-replayed'))).toEqual([null, 'true'])
    expect((await keys(key))[0]?.answer_sealed).not.toContain(first.body.integrationId)
  })

  it('treats the same content in another notation as the same request', async () => {
    const [key, of] = [randomUUID(), body()]
    const first = await create(key, of)
    const reordered = JSON.stringify(Object.fromEntries(Object.entries(of).reverse()), null, 2)
    const again = await create(key, reordered)
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true'])
  })

  it('refuses another request under the same key', async () => {
    const key = randomUUID()
    await create(key, body())
    const reused = { status: 400, body: { code: 'idempotency_key_reused' } }
    expect(await create(key, body())).toMatchObject(reused)
    const id = await addChargeback(stage.db, at)
    const accept = await stage.call('POST', `/v1/chargebacks/${id}/accept`, { headers: { 'idempotency-key': key } })
    expect(accept).toMatchObject(reused)
  })

  it('has one effect and one response for many concurrent requests', async () => {
    const [key, of] = [randomUUID(), body()]
    const apps = [stage.app, stage.secondApp()]
    const responses = await Promise.all(Array.from({ length: 8 }, (_, n) => create(key, of, {}, apps[n % 2])))
    expect(responses.map((response) => response.status)).toEqual(Array(8).fill(201))
    expect(new Set(responses.map((response) => response.text)).size).toBe(1)
  })

  it('returns 409 while the first request is in progress', async () => {
    const [key, of] = [randomUUID(), body()]
    await create(key, of)
    await stage.db
      .updateTable('idempotency_key')
      .set({ status: null, answer_sealed: null })
      .where('key', '=', key)
      .execute()
    const response = await create(key, of)
    expect(response).toMatchObject({ status: 409, body: { code: 'request_in_progress' } })
    expect(response.headers.get('retry-after')).toBe('1')
  })

  it('is free again after its 24 hours, and a minute after a request that never finished', async () => {
    const [old, lost] = [randomUUID(), randomUUID()]
    const past = new Date(Date.now() - 1_000)
    await create(old, body())
    await stage.db.updateTable('idempotency_key').set({ expires_at: past }).where('key', '=', old).execute()
    expect((await create(old, body())).status).toBe(201)
    const of = body()
    await create(lost, of)
    await stage.db.deleteFrom('integration').where('external_identifier', '=', of.externalIdentifier).execute()
    await stage.db
      .updateTable('idempotency_key')
      .set({ status: null, answer_sealed: null, created_at: new Date(Date.now() - 61_000) })
      .where('key', '=', lost)
      .execute()
    expect((await create(lost, of)).status).toBe(201)
  })

  it('is kept for a day', async () => {
    const key = randomUUID()
    await create(key, body())
    const [row] = await keys(key)
    expect((row?.expires_at.getTime() ?? 0) - (row?.created_at.getTime() ?? 0)).toBe(24 * 3600 * 1000)
  })

  it.each([
    ['400', (key: string) => create(key, { nonsense: true }), 400],
    ['unparsable JSON', (key: string) => create(key, '{'), 400],
    ['404', (key: string) => create(key, { ...body(), parentIntegrationId: randomUUID() }), 404],
    ['401', (key: string) => create(key, body(), { merchant: 'nobody' }), 401],
  ])('is not used up by %s', async (_name, refused, status) => {
    const key = randomUUID()
    expect((await refused(key)).status).toBe(status)
    expect(await keys(key)).toEqual([])
    expect((await create(key, body())).status).toBe(201)
  })

  it('is not used up by a failure of the service', async () => {
    const [key, of] = [randomUUID(), body()]
    const broken = stage.secondApp({ ring: { current: 'none', keys: new Map() } })
    expect((await create(key, of, {}, broken)).status).toBe(500)
    expect((await create(key, of)).status).toBe(201)
  })

  it('belongs to its credential and merchant', async () => {
    const { accountId } = await createAccount(stage.db, { name: 'Two' })
    await stage.newMerchant(accountId, 'a')
    await stage.newMerchant(accountId, 'b')
    const { token } = await stage.issue({ accountId, scope: 'account' })
    const [key, of] = [randomUUID(), body()]
    const responses = [
      await create(key, of),
      await create(key, of, { token, merchant: 'a' }),
      await create(key, of, { token, merchant: 'b' }),
    ]
    expect(new Set(responses.map((response) => response.body.integrationId)).size).toBe(3)
  })

  it.each([
    ['empty', ''],
    ['too long', 'k'.repeat(256)],
    ['not printable', 'a\tb'],
    ['not ASCII', 'schl\u00fcssel'],
  ])('is refused when %s', async (_name, key) => {
    expect(await create(key, body())).toMatchObject({ status: 400, body: { code: 'invalid_idempotency_key' } })
  })

  it('starts one acceptance, and returns its response even after it failed', async () => {
    const id = await addChargeback(stage.db, at)
    const accept = (key: string) =>
      stage.call('POST', `/v1/chargebacks/${id}/accept`, { headers: { 'idempotency-key': key } })
    const key = randomUUID()
    const first = await accept(key)
    await stage.db.updateTable('command').set({ status: 'failed' }).where('chargeback_id', '=', id).execute()
    expect((await accept(key)).text).toBe(first.text)
    const commands = await stage.db.selectFrom('command').selectAll().where('chargeback_id', '=', id).execute()
    expect(commands).toHaveLength(1)
  })
})

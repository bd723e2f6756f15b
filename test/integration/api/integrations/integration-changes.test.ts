import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createStage, type Stage } from '../stage.ts'

const PLANTED = 'rk_test_plantedCandidate4711'
let stage: Stage
let other: string
beforeAll(async () => {
  stage = await createStage()
  const { merchantUuid } = await stage.newMerchant(stage.accountId)
  other = (await stage.issue({ accountId: stage.accountId, scope: 'merchant', merchantUuid })).token
})
afterAll(() => stage[Symbol.asyncDispose]())

const connect = async (): Promise<string> => {
  const externalIdentifier = `acct_${randomUUID().slice(0, 12)}`
  const body = { externalIdentifier, integrationName: 'Old', source: 'stripe', secretType: 'APIKEY_ONLY' }
  const secretPayload = { apiKey: 'rk_test_old4711' }
  return (await stage.call('POST', '/v1/integrations', { body: { ...body, secretPayload } })).body.integrationId
}
const change = (id: string, body: unknown, options: object = {}) =>
  stage.call('PATCH', `/v1/integrations/${id}`, { body, ...options })
const row = (id: string) =>
  stage.db.selectFrom('integration').selectAll().where('integration_id', '=', id).executeTakeFirstOrThrow()
const rotations = (id: string) =>
  stage.db.selectFrom('secret_rotation').selectAll().where('integration_id', '=', id).execute()

describe('PATCH /integrations/{id}', () => {
  it('renames it, and only once for a repeated Idempotency-Key', async () => {
    const id = await connect()
    const before = await row(id)
    const headers = { 'idempotency-key': `rename-${id}` }
    const first = await change(id, { integrationName: 'New' }, { headers })
    expect(first).toMatchObject({ status: 200, body: { integrationId: id, source: 'stripe', status: 'PENDING' } })
    expect(await row(id)).toEqual({ ...before, integration_name: 'New' })
    await change(id, { integrationName: 'Newer' })
    const again = await change(id, { integrationName: 'New' }, { headers })
    expect([again.headers.get('idempotent-replayed'), (await row(id)).integration_name]).toEqual(['true', 'Newer'])
    expect(await rotations(id)).toEqual([])
  })

  it.each([
    [{}, 'validation_failed', /Name what is to change: integrationName, secretPayload, secretType/],
    [{ secretType: 'APIKEY_ONLY' }, 'validation_failed', /secretPayload: Required with secretType/],
    [{ externalIdentifier: 'acct_1', goLive: 1 }, 'validation_failed', /externalIdentifier: Unknown field.*goLive/],
    [{ integrationName: '' }, 'validation_failed', /integrationName/],
    [{ integrationName: null }, 'validation_failed', /integrationName/],
    [{ secretPayload: {} }, 'validation_failed', /secretPayload.apiKey: Required/],
    [{ secretPayload: { apiKey: 'a\u0000b' } }, 'validation_failed', /secretPayload/],
    [{ secretPayload: { apiKey: 'pk_test_1' } }, 'configuration_invalid', /publishable/],
    [{ secretPayload: { hmac: 'x', apiKey: 'y' }, secretType: 'HMAC' }, 'secret_type_not_accepted', /APIKEY_ONLY/],
    [{ secretPayload: { apiKey: 'x' }, secretType: 'NONE' }, 'validation_failed', /secretType/],
  ])('refuses %j, and changes nothing', async (body, code, sentence) => {
    const id = await connect()
    const before = await row(id)
    const response = await change(id, body)
    expect([response.status, response.body.code]).toEqual([400, code])
    expect(response.body.message).toMatch(sentence)
    expect(await row(id)).toEqual(before)
    expect(await rotations(id)).toEqual([])
  })

  it('refuses an integration of another merchant, and one that is INACTIVE', async () => {
    const id = await connect()
    for (const body of [{ integrationName: 'x' }, { secretPayload: { apiKey: PLANTED } }]) {
      expect(await change(id, body, { token: other })).toMatchObject({
        status: 404,
        body: { code: 'integration_not_found' },
      })
      expect((await change('not-an-id', body)).status).toBe(400)
    }
    await stage.db.updateTable('integration').set({ status: 'INACTIVE' }).where('integration_id', '=', id).execute()
    for (const body of [{ integrationName: 'x' }, { secretPayload: { apiKey: PLANTED } }])
      expect(await change(id, body)).toMatchObject({ status: 400, body: { code: 'integration_inactive' } })
    expect(await rotations(id)).toEqual([])
  })

  it('returns 503 without a worker, and deletes the candidate', async () => {
    const id = await connect()
    const before = await row(id)
    const response = await change(id, { secretPayload: { apiKey: PLANTED }, integrationName: 'Never' })
    expect(response).toMatchObject({ status: 503, body: { code: 'service_unavailable' } })
    expect(await row(id)).toEqual(before)
    expect(await rotations(id)).toMatchObject([
      { outcome: 'withdrawn', secret_sealed: null, credential_id: stage.credentialId },
    ])
  })

  it('keeps the candidate sealed while it waits, and shows it nowhere', async () => {
    const id = await connect()
    const waiting = change(id, { secretPayload: { apiKey: PLANTED } })
    let open: Awaited<ReturnType<typeof rotations>> = []
    while (open.length === 0) open = await rotations(id)
    expect(open[0]?.secret_sealed).toMatch(/^v1\./)
    const outbox = await stage.db.selectFrom('outbox').selectAll().where('kind', '=', 'rotate_secret').execute()
    const payloads = outbox.map(({ payload }) => payload)
    expect(payloads).toContainEqual({ rotationId: open[0]?.rotation_id })
    const { text } = await waiting
    for (const seen of [text, ...payloads.map((one) => JSON.stringify(one)), ...stage.lines])
      expect(seen).not.toContain('planted')
  })
})

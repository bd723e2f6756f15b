import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createStage, type Stage } from '../stage.ts'

let stage: Stage
let other: { token: string; merchantUuid: string }
beforeAll(async () => {
  stage = await createStage()
  const { accountId } = stage
  const { merchantUuid } = await stage.newMerchant(accountId)
  other = { merchantUuid, token: (await stage.issue({ accountId, scope: 'merchant', merchantUuid })).token }
})
afterAll(() => stage[Symbol.asyncDispose]())

const PAST = '2026-01-01T00:00:00Z'
const FUTURE = '2031-01-01T00:00:00Z'
const body = () => ({
  externalIdentifier: `acct_${randomUUID().slice(0, 12)}`,
  integrationName: 'Stripe',
  source: 'stripe',
  secretType: 'APIKEY_ONLY',
  secretPayload: { apiKey: 'rk_test_planted4711' },
})
const connect = async (with_: object = body()): Promise<string> =>
  (await stage.call('POST', '/v1/integrations', { body: with_ })).body.integrationId
const deactivate = (id: string, changes: object = {}, options = {}) =>
  stage.call('DELETE', `/v1/integrations/${id}`, {
    body: { deactivationType: 'postingDate', deactivationDate: FUTURE, ...changes },
    ...options,
  })
const read = async (id: string) => (await stage.call('GET', `/v1/integrations/${id}`)).body
const stored = (id: string) =>
  stage.db.selectFrom('integration').selectAll().where('integration_id', '=', id).executeTakeFirstOrThrow()
const messages = async (id: string) =>
  (await stage.db.selectFrom('outbox').selectAll().orderBy('outbox_id').execute()).filter(({ payload }) =>
    Object.values(payload as Record<string, string>).includes(id),
  )

describe('DELETE /integrations/{id}', () => {
  it('stores type and date, returns no body, and keeps it working until the date', async () => {
    const id = await connect()
    const response = await deactivate(id, { integrationId: id, deactivationType: 'due_date' })
    expect([response.status, response.text, response.headers.get('content-type')]).toEqual([200, '', null])
    expect(await stored(id)).toMatchObject({
      deactivation_type: 'dueDate',
      deactivation_date: new Date(FUTURE),
      deactivation_revision: 1,
      deactivation_credential_id: stage.credentialId,
      status: 'PENDING',
    })
    const found = await messages(id)
    expect(found.map((one) => one.kind)).toEqual(['verify_integration', 'sync_schedule', 'deactivate'])
    expect(found[2]?.payload).toEqual({ kind: 'integration', id })
    expect(stage.dispatched).toContain(found[2]?.outbox_id)
    expect((await read(id)).status).toBe('PENDING')
  })

  it('makes it INACTIVE at once with a past date, which is final and frees its identifier', async () => {
    const same = body()
    const id = await connect(same)
    expect((await deactivate(id, { deactivationDate: PAST })).status).toBe(200)
    expect((await read(id)).status).toBe('INACTIVE')
    expect(await deactivate(id)).toMatchObject({ status: 400, body: { code: 'deactivation_final' } })
    const successor = await connect(same)
    expect((await read(successor)).status).toBe('PENDING')
    const listed = (await stage.call('GET', '/v1/integrations?limit=100')).body
    expect(listed.map((one: { integrationId: string }) => one.integrationId)).toEqual(
      expect.arrayContaining([id, successor]),
    )
  })

  it('can be moved until the date; then it is final, even before it was carried out', async () => {
    const id = await connect()
    const start = Date.now()
    const at = (minutes: number) => new Date(start + minutes * 60_000)
    const inMinutes = (minutes: number, date: number) => {
      const app = stage.secondApp({ now: () => at(minutes) })
      const moved = { deactivationType: 'postingDate', deactivationDate: at(date).toISOString() }
      return stage.call('DELETE', `/v1/integrations/${id}`, { body: moved }, app)
    }
    expect((await inMinutes(0, 10)).status).toBe(200)
    expect((await inMinutes(9, 20)).status).toBe(200)
    expect(await inMinutes(20, 40)).toMatchObject({ status: 400, body: { code: 'deactivation_final' } })
    expect(await stored(id)).toMatchObject({ deactivation_date: at(20), deactivation_revision: 2, status: 'PENDING' })
  })

  it('does nothing twice for a repeated Idempotency-Key', async () => {
    const id = await connect()
    const headers = { 'idempotency-key': `stop-${randomUUID()}` }
    const responses = [
      await deactivate(id, { deactivationDate: PAST }, { headers }),
      await deactivate(id, { deactivationDate: PAST }, { headers }),
    ]
    expect(responses.map((response) => [response.status, response.text])).toEqual([
      [200, ''],
      [200, ''],
    ])
    expect((await stored(id)).deactivation_revision).toBe(1)
  })

  it('returns 400 for an id that is not a UUID', async () => {
    for (const id of ['x', `${randomUUID()}0`, '%00'])
      expect(await deactivate(id)).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
  })

  it('returns the same 404 for a missing integration and another merchant’s', async () => {
    const id = await connect()
    for (const response of [await deactivate(randomUUID()), await deactivate(id, {}, { token: other.token })])
      expect(response).toMatchObject({ status: 404, body: { code: 'integration_not_found' } })
    expect((await stored(id)).deactivation_revision).toBe(0)
  })

  it.each([
    ['integrationId', randomUUID()],
    ['integrationId', 'x'],
    ['integrationId', null],
    ['integrationId', 5],
    ['deactivationType', undefined],
    ['deactivationType', 'due date'],
    ['deactivationDate', undefined],
    ['deactivationDate', '01/02/2031'],
    ['deactivationDate', null],
    ['reason', 'moved'],
  ])('names %s when it is %j', async (field, value) => {
    const id = await connect()
    const response = await deactivate(id, { [field]: value })
    expect(response).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect(response.body.message).toContain(`${field}: `)
    expect(await stored(id)).toMatchObject({ deactivation_revision: 0, deactivation_date: null })
  })
})

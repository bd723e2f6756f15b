import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { setPaused } from '../../../../db/integrations/integration-operations.ts'
import { createAccount } from '../../../../db/merchants/accounts.ts'
import { quarantine } from '../../../../db/polling/quarantine.ts'
import { createStage, type Stage } from '../stage.ts'

let stage: Stage
let foreign: string
let integrationId: string
beforeAll(async () => {
  stage = await createStage({ publicUrl: 'https://recoup.example' })
  const { accountId } = await createAccount(stage.db, { name: 'Other' })
  await stage.newMerchant(accountId)
  const { token } = await stage.issue({ accountId, scope: 'account' })
  foreign = await connect(token)
})
afterAll(() => stage[Symbol.asyncDispose]())
beforeEach(async () => {
  integrationId = await connect()
  await change({ status: 'SUCCESSFUL', verified_at: new Date() })
})

async function connect(token = stage.token): Promise<string> {
  const body = {
    ...{ externalIdentifier: `acct_${randomUUID().slice(0, 8)}`, integrationName: 'Stripe Europe', source: 'stripe' },
    ...{ secretType: 'APIKEY_ONLY', secretPayload: { apiKey: 'rk_test_plantedSecret4711' } },
  }
  return (await stage.call('POST', '/v1/integrations', { body, token })).body.integrationId
}
const change = (values: object, id = integrationId) =>
  stage.db.updateTable('integration').set(values).where('integration_id', '=', id).execute()
const act = (verb: string, id = integrationId, options = {}) =>
  stage.call('POST', `/v1/integrations/${id}/${verb}`, options)
const read = async (query = '?expand=details') =>
  (await stage.call('GET', `/v1/integrations/${integrationId}${query}`)).body
const messages = async () =>
  (await stage.db.selectFrom('outbox').select(['kind', 'payload']).orderBy('outbox_id').execute()).filter(
    ({ payload }) => (payload as { integrationId?: string }).integrationId === integrationId,
  )
const lastMessage = async () => (await messages()).at(-1)?.kind

describe('POST /integrations/{id}/poll', () => {
  it('requests a poll, once for each Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const first = await act('poll', integrationId, { headers })
    expect(first).toMatchObject({ status: 202, body: { id: integrationId, asked: 'poll' } })
    expect((await act('poll', integrationId, { headers })).body).toEqual(first.body)
    expect((await messages()).map(({ kind }) => kind)).toEqual(['verify_integration', 'poll_now'])
  })

  it.each([
    ['PENDING', { status: 'PENDING', verified_at: null }],
    ['FAILED', { status: 'FAILED' }],
  ])('checks a %s credential again', async (_, values) => {
    await change(values)
    expect((await act('poll')).body).toMatchObject({ asked: 'verification' })
    expect(await lastMessage()).toBe('verify_integration')
  })

  it('is refused while the polls are paused, and for an INACTIVE one', async () => {
    await act('pause')
    expect(await act('poll')).toMatchObject({ status: 400, body: { code: 'integration_paused' } })
    await change({ status: 'INACTIVE' })
    for (const verb of ['poll', 'pause', 'resume'])
      expect(await act(verb)).toMatchObject({ status: 400, body: { code: 'integration_inactive' } })
    expect(await lastMessage()).toBe('sync_schedule')
  })
})

describe('POST /integrations/{id}/pause and resume', () => {
  it('stops the polls and lets them go on, and says that a client did it', async () => {
    expect((await act('pause')).status).toBe(200)
    expect(await read()).toMatchObject({
      problem: expect.stringMatching(/^Its polls are paused since .* by a client\.$/),
      details: { paused: true, pausedBy: 'client' },
    })
    const count = (await messages()).length
    expect((await act('pause')).status).toBe(200)
    expect(await messages()).toHaveLength(count)
    expect((await act('resume')).status).toBe(200)
    const { problem, details } = await read()
    expect(problem).toBeUndefined()
    expect(details).toMatchObject({ paused: false })
    expect(details.pausedBy).toBeUndefined()
    expect(await messages()).toHaveLength(count + 1)
  })

  it('a client does not resume what the operator paused, and reads no operator’s name', async () => {
    await setPaused(stage.db, integrationId, { paused: true, by: 'olga', reason: 'The PSP has an incident' })
    expect(await act('resume')).toMatchObject({ status: 400, body: { code: 'paused_by_operator' } })
    expect((await act('pause')).status).toBe(200)
    const shown = await read()
    expect(shown).toMatchObject({ details: { paused: true, pausedBy: 'operator' } })
    expect(shown.problem).toMatch(/by the operator: The PSP has an incident\.$/)
    expect(JSON.stringify(shown)).not.toContain('olga')
  })

  it('an integration of another merchant is not there', async () => {
    for (const verb of ['poll', 'pause', 'resume'])
      expect(await act(verb, foreign)).toMatchObject({ status: 404, body: { code: 'integration_not_found' } })
    expect(await stage.call('GET', `/v1/integrations/${foreign}/quarantine`)).toMatchObject({ status: 404 })
    const row = stage.db.selectFrom('integration').select('paused').where('integration_id', '=', foreign)
    expect(await row.executeTakeFirstOrThrow()).toEqual({ paused: false })
  })
})

describe('GET /integrations/{id}?expand=details', () => {
  it('has what a page shows, and no part of the secret', async () => {
    const at = '2026-01-01T00:02:00.000Z'
    const hint = 'Disputes can be listed.'
    await change({
      last_successful_poll_at: at,
      psp_account: 'acct_1',
      findings: JSON.stringify([{ permission: 'Disputes: read', state: 'ok', hint }]),
      deactivation_type: 'dueDate',
      deactivation_date: '2099-01-01T00:00:00Z',
    })
    const shown = await read()
    expect(shown.details).toEqual({
      externalIdentifier: expect.stringMatching(/^acct_/),
      secretType: 'APIKEY_ONLY',
      pspAccount: 'acct_1',
      notificationUrl: `https://recoup.example/v1/notifications/${integrationId}`,
      createdAt: expect.stringMatching(/^2.*Z$/),
      lastSuccessAt: at,
      chargebacks: 0,
      paused: false,
      deactivation: { type: 'dueDate', date: '2099-01-01T00:00:00.000Z' },
      permissions: [{ permission: 'Disputes: read', state: 'ok', hint }],
    })
    expect(JSON.stringify(shown)).not.toContain('plantedSecret')
    expect((await read('')).details).toBeUndefined()
    expect((await stage.call('GET', `/v1/integrations?integrationId=${integrationId}&expand=details`)).body).toEqual([
      shown,
    ])
    const unknown = await stage.call('GET', '/v1/integrations?expand=secret')
    expect(unknown).toMatchObject({ status: 400, body: { message: expect.stringContaining('expand') } })
  })
})

describe('GET /integrations/{id}/quarantine', () => {
  it('is paged, last seen first, without content', async () => {
    const unreadable = Array.from({ length: 12 }, (_, n) => ({
      reference: n === 0 ? null : `du_${n}`,
      reason: 'The amount is missing.',
      text: `{"customer":"Kim Canary ${n}"}`,
      hash: randomBytes(32),
    }))
    for (const one of unreadable) await quarantine(stage.db, stage.ring, integrationId, [one], [], 1)
    const page = (query: string) => stage.call('GET', `/v1/integrations/${integrationId}/quarantine${query}`)
    const first = await page('')
    expect(first.body).toMatchObject({ hasMore: true, data: { length: 10 } })
    expect(first.body.data[0]).toEqual({
      ...{ reference: 'du_11', reason: 'The amount is missing.', seen: 1 },
      firstSeenAt: expect.stringMatching(/Z$/),
      lastSeenAt: expect.stringMatching(/Z$/),
    })
    const second = await page('?page=2')
    expect(second.body).toMatchObject({ hasMore: false, data: [{ reference: 'du_1' }, { seen: 1 }] })
    expect(second.body.data[1].reference).toBeUndefined()
    expect(first.text + second.text).not.toContain('Canary')
  })
})

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Subject } from '../../../adapters/conformance/subject.ts'
import { SUBJECTS } from '../../../adapters/conformance/subjects.ts'
import { open, sealContext } from '../../../db/core/seal.ts'
import { createIntegration } from '../../../db/integrations/integrations.ts'
import { requestRotation } from '../../../db/integrations/secret-rotations.ts'
import {
  DEMO_ACCOUNT,
  DEMO_KEY,
  FOREIGN_ACCOUNT,
  FOREIGN_KEY,
  LIMITED_KEY,
  LIVE_KEY,
  NEXT_KEY,
  WEBHOOK_SECRET,
} from '../../../simulators/stripe/keys.ts'
import { until } from '../../harness/until.ts'
import { openFixture } from '../notifications/psp-fixture.ts'

const stripe = SUBJECTS.find(({ definition }) => definition.source === 'stripe') as Subject
let fixture: Awaited<ReturnType<typeof openFixture>>
let id: string
let url: string
beforeEach(async () => {
  fixture = await openFixture(stripe)
  const made = await fixture.integrate()
  id = made.integrationId
  url = made.url
})
afterEach(() => fixture[Symbol.asyncDispose]())

const row = () =>
  fixture.stage.db.selectFrom('integration').selectAll().where('integration_id', '=', id).executeTakeFirstOrThrow()
const set = (values: object) =>
  fixture.stage.db.updateTable('integration').set(values).where('integration_id', '=', id).execute()
const replace = (apiKey: string, more: object = {}) =>
  fixture.stage.call('PATCH', `/v1/integrations/${id}`, { body: { secretPayload: { apiKey, ...more } } })
const payload = async () => {
  const context = { integrationId: id, source: 'stripe', merchantUuid: fixture.stage.merchantUuid }
  return JSON.parse(open(fixture.stage.ring, (await row()).secret_sealed, sealContext.integrationSecret(context)))
}
const rotations = () => fixture.stage.db.selectFrom('secret_rotation').selectAll().orderBy('rotation_id').execute()

describe('a new secret', () => {
  test.each([
    ['of production', LIVE_KEY, 'other_environment', /live.*Send a test secret of the same account/],
    ['of another account', FOREIGN_KEY, 'other_psp_account', new RegExp(`another Stripe account.*${DEMO_ACCOUNT}`)],
    ['without a permission', LIMITED_KEY, 'psp_account_unconfirmed', /"Account: read"/],
  ])('%s is refused, and nothing changes', async (_, key, code, message) => {
    const before = await row()
    const response = await replace(key)
    expect([response.status, response.body.code]).toEqual([400, code])
    expect(response.body.message).toMatch(message)
    expect(response.body.message).not.toContain(FOREIGN_ACCOUNT)
    expect(await row()).toEqual(before)
    expect(await rotations()).toMatchObject([{ outcome: 'refused', code, secret_sealed: null }])
  })

  test('of another secretType replaces type and secret if the adapter supports it', async () => {
    const sandbox = SUBJECTS.find(({ definition }) => definition.source === 'recoup_sandbox') as Subject
    await using own = await openFixture(sandbox)
    const { integrationId, url: address } = await own.integrate()
    const { apiKey } = sandbox.simulator.secretPayload as { apiKey: string }
    const change = (body: object) => own.stage.call('PATCH', `/v1/integrations/${integrationId}`, { body })
    const secretPayload = { apiKey, hmac: 'by-hmac', notificationSecret: 'another' }
    expect((await change({ secretType: 'HMAC', secretPayload })).status).toBe(200)
    const stored = own.stage.db.selectFrom('integration').select('secret_type')
    expect(await stored.where('integration_id', '=', integrationId).execute()).toEqual([{ secret_type: 'HMAC' }])
    const { disputes } = await own.control('/disputes', { count: 1 })
    const sent = { url: address, ref: disputes[0]?.ref, count: 1, secret: 'another' }
    expect((await own.control('/notifications', sent)).deliveries).toMatchObject([{ status: 200 }])
    expect((await replace('x', {})).status).toBe(400)
    const refused = await fixture.stage.call('PATCH', `/v1/integrations/${id}`, {
      body: { secretType: 'HMAC', secretPayload },
    })
    expect(refused.status).toBe(400)
  })

  test('without a webhook secret keeps the old one, without any overlap', async () => {
    expect((await replace(NEXT_KEY)).status).toBe(200)
    expect(await payload()).toEqual({ apiKey: NEXT_KEY, webhookSecret: WEBHOOK_SECRET })
    expect(await fixture.stage.db.selectFrom('kept_verification').selectAll().execute()).toEqual([])
    const { disputes } = await fixture.control('/disputes', { count: 1 })
    const sent = await fixture.control('/notifications', { url, ref: disputes[0]?.ref, count: 1 })
    expect(sent.deliveries).toMatchObject([{ status: 200 }])
  })

  test('replaced twice within the overlap: all three signatures are accepted', async () => {
    for (const webhookSecret of ['whsec_second', 'whsec_third'])
      expect((await replace(NEXT_KEY, { webhookSecret })).status).toBe(200)
    const { disputes } = await fixture.control('/disputes', { count: 1 })
    for (const secret of [WEBHOOK_SECRET, 'whsec_second', 'whsec_third', 'whsec_never']) {
      const sent = await fixture.control('/notifications', { url, ref: disputes[0]?.ref, count: 1, secret })
      expect(sent.deliveries).toMatchObject([{ status: secret === 'whsec_never' ? 401 : 200 }])
    }
  })

  test('of an integration without a confirmed account may be of any account, until it has disputes', async () => {
    // The client chose the identifier, so only the key shows which account is meant.
    id = (await fixture.integrate('shop-one')).integrationId
    await set({ psp_account: null })
    await fixture.control('/disputes', { count: 1, status: 'needs_response' })
    await fixture.poll(id)
    expect(await fixture.chargebacks(id)).toHaveLength(1)
    const before = await row()
    expect((await replace(FOREIGN_KEY)).body.code).toBe('other_psp_account')
    expect(await row()).toEqual(before)
    expect(await replace(NEXT_KEY)).toMatchObject({ status: 200 })
    expect(await row()).toMatchObject({ psp_account: DEMO_ACCOUNT, claimed_account: DEMO_ACCOUNT })
  })

  test('of an unverified integration: checked, then verified by a new run, like after connecting', async () => {
    const { integrationId } = await createIntegration(fixture.stage.db, fixture.stage.ring, {
      merchantUuid: fixture.stage.merchantUuid,
      source: 'stripe',
      integrationName: 'Never verified',
      externalIdentifier: 'shop of another',
      secretType: 'APIKEY_ONLY',
      secretPayload: { apiKey: DEMO_KEY },
    })
    id = integrationId
    await set({ status: 'FAILED', status_reason: 'refused' })
    await fixture.stage.db.deleteFrom('outbox').execute()
    expect(await replace(FOREIGN_KEY)).toMatchObject({ status: 200, body: { status: 'PENDING' } })
    expect(await row()).toMatchObject({ status: 'PENDING', claimed_account: FOREIGN_ACCOUNT, status_reason: null })
    const enqueued = await fixture.stage.db.selectFrom('outbox').select('kind').execute()
    expect(enqueued.map(({ kind }) => kind)).toContain('verify_integration')
  })

  test('of an account that another integration acts on is refused', async () => {
    await set({ claimed_account: DEMO_ACCOUNT })
    const { integrationId } = await fixture.integrate('shop-two')
    const other = id
    id = integrationId
    await set({ psp_account: null })
    const before = await row()
    const response = await replace(NEXT_KEY)
    expect(response).toMatchObject({ status: 400, body: { code: 'psp_account_connected' } })
    expect(response.body.message).toContain(other)
    expect(await row()).toEqual(before)
  })

  test('without a result in time: 503, and nothing changes, even if the PSP responds later', async () => {
    const before = await row()
    await fixture.control('/faults', { kind: 'reset', count: 100 })
    const response = await replace(NEXT_KEY)
    expect([response.status, response.body.code]).toEqual([503, 'service_unavailable'])
    expect(response.headers.get('retry-after')).toBe('5')
    await fixture.control('/faults', undefined, 'DELETE')
    const [withdrawn] = await rotations()
    expect(withdrawn).toMatchObject({ outcome: 'withdrawn', secret_sealed: null })
    expect(await fixture.rotate(withdrawn?.rotation_id as string)).toEqual({ outcome: 'withdrawn' })
    expect(await row()).toEqual(before)
    expect((await replace(NEXT_KEY)).status).toBe(200)
  })

  test('superseded by another request: 409, and the later one counts', async () => {
    const hold = await fixture.control('/holds', { match: { path: '/v1/account' }, count: 1 })
    const first = replace(NEXT_KEY, { webhookSecret: 'whsec_first' })
    await until('the PSP holds the first', async () => {
      const { held } = await fixture.control(`/holds/${hold.id}`, undefined, 'GET')
      return held.length === 1
    })
    expect((await replace(NEXT_KEY, { webhookSecret: 'whsec_second' })).status).toBe(200)
    await fixture.control(`/holds/${hold.id}`, undefined, 'DELETE')
    expect(await first).toMatchObject({ status: 409, body: { code: 'rotation_superseded' } })
    expect(await payload()).toEqual({ apiKey: NEXT_KEY, webhookSecret: 'whsec_second' })
  })

  test('is checked once for a repeated Idempotency-Key, with the same response', async () => {
    const send = () =>
      fixture.stage.call('PATCH', `/v1/integrations/${id}`, {
        body: { secretPayload: { apiKey: NEXT_KEY } },
        headers: { 'idempotency-key': 'rotate-1' },
      })
    const [first, again] = [await send(), await send()]
    expect([first.status, again.status]).toEqual([200, 200])
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await rotations()).toHaveLength(1)
  })

  test('whose process crashed is withdrawn by the sweep', async () => {
    await fixture.stage.db.updateTable('integration').set({ secret_replaced_at: null }).execute()
    const request = { integrationId: id, secretType: 'APIKEY_ONLY' as const, secretPayload: { apiKey: NEXT_KEY } }
    const { rotationId } = await requestRotation(fixture.stage.db, fixture.stage.ring, { ...request, seconds: -1 })
    expect(await fixture.rotate(rotationId)).toEqual({ outcome: 'withdrawn' })
    expect(await fixture.sweep()).toBe(1)
    expect(await rotations()).toMatchObject([{ outcome: 'withdrawn', secret_sealed: null }])
    expect((await row()).secret_replaced_at).toBeNull()
  })
})

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addToGroup, createGroup } from '../../../../db/merchants/groups.ts'
import { addIntegration } from '../chargebacks/chargeback-rows.ts'
import { createStage, type Stage } from '../stage.ts'

let stage: Stage
let token: string
beforeAll(async () => {
  stage = await createStage()
  token = (await stage.issue({ accountId: stage.accountId, scope: 'account' })).token
})
afterAll(() => stage[Symbol.asyncDispose]())

const PAST = '2026-01-01T00:00:00Z'
const FUTURE = '2031-01-01T00:00:00Z'
const newShop = async () => (await stage.newMerchant(stage.accountId)).merchantUuid
const deactivate = (merchant: string | undefined, changes: object = {}, options = {}) =>
  stage.call('DELETE', '/v1/merchants', {
    token,
    merchant,
    body: { deactivationType: 'postingDate', deactivationDate: FUTURE, ...changes },
    ...options,
  })
const stored = (merchantUuid: string) =>
  stage.db.selectFrom('merchant').selectAll().where('merchant_uuid', '=', merchantUuid).executeTakeFirstOrThrow()
const statusOf = async (merchantUuid: string) =>
  (await stage.call('GET', `/v1/merchants/${merchantUuid}`, { token })).body.status
const messages = async (id: string) =>
  (await stage.db.selectFrom('outbox').selectAll().where('kind', '=', 'deactivate').execute()).filter(
    ({ payload }) => (payload as { id: string }).id === id,
  )

describe('DELETE /merchants', () => {
  it('stores type and date, returns no body, and starts a timer for the date', async () => {
    const shop = await newShop()
    const response = await deactivate(shop)
    expect([response.status, response.text, response.headers.get('content-type')]).toEqual([200, '', null])
    expect(await stored(shop)).toMatchObject({
      deactivation_type: 'postingDate',
      deactivation_date: new Date(FUTURE),
      deactivation_revision: 1,
      deactivated_at: null,
    })
    const [message] = await messages(shop)
    expect(message?.payload).toEqual({ kind: 'merchant', id: shop })
    expect(stage.dispatched).toContain(message?.outbox_id)
    expect(await statusOf(shop)).toBe('SetupIncomplete')
  })

  it.each([
    ['postingDate', 'postingDate'],
    ['dueDate', 'dueDate'],
    ['posting_date', 'postingDate'],
    ['due_date', 'dueDate'],
  ])('accepts the type %s as %s', async (deactivationType, type) => {
    const shop = await newShop()
    expect((await deactivate(shop, { deactivationType })).status).toBe(200)
    expect((await stored(shop)).deactivation_type).toBe(type)
  })

  it('takes effect at once with a past date, and removes nothing', async () => {
    const shop = await newShop()
    const integrationId = await addIntegration(stage.db, stage.ring, shop)
    expect(await statusOf(shop)).toBe('Active')
    expect((await deactivate(shop, { deactivationDate: PAST })).status).toBe(200)
    expect(await statusOf(shop)).toBe('Inactive')
    // Chargebacks posted before the date are still handled, so its integrations keep working.
    const read = await stage.call('GET', `/v1/integrations/${integrationId}`, { token, merchant: shop })
    expect(read.body.status).toBe('SUCCESSFUL')
  })

  it('can be moved by another request until the date; then it is final', async () => {
    const shop = await newShop()
    const start = Date.now()
    const at = (minutes: number) => new Date(start + minutes * 60_000)
    const inMinutes = (minutes: number, changes: object) => {
      const app = stage.secondApp({ now: () => at(minutes) })
      const body = { deactivationType: 'postingDate', deactivationDate: at(10).toISOString(), ...changes }
      return stage.call('DELETE', '/v1/merchants', { token, merchant: shop, body }, app)
    }
    expect((await inMinutes(0, {})).status).toBe(200)
    const later = { deactivationType: 'dueDate', deactivationDate: at(20).toISOString() }
    expect((await inMinutes(9, later)).status).toBe(200)
    expect((await inMinutes(19, { deactivationDate: at(30).toISOString() })).status).toBe(200)
    expect(await inMinutes(30, { deactivationDate: at(60).toISOString() })).toMatchObject({
      status: 400,
      body: { code: 'deactivation_final' },
    })
    expect(await stored(shop)).toMatchObject({ deactivation_date: at(30), deactivation_revision: 3 })
    expect(await messages(shop)).toHaveLength(3)
  })

  it('has one effect and the same response for a repeated Idempotency-Key', async () => {
    const shop = await newShop()
    const headers = { 'idempotency-key': `stop-${randomUUID()}` }
    await deactivate(shop, { deactivationDate: PAST }, { headers })
    const again = await deactivate(shop, { deactivationDate: PAST }, { headers })
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([200, '', 'true'])
    expect((await stored(shop)).deactivation_revision).toBe(1)
    expect((await deactivate(shop, { deactivationDate: PAST })).status).toBe(400)
  })

  it('accepts a credential of any scope, for the merchant that it and the header select', async () => {
    const [own, member, stranger] = [await newShop(), await newShop(), await newShop()]
    const { accountId } = stage
    const merchant = await stage.issue({ accountId, scope: 'merchant', merchantUuid: own })
    const { groupId } = await createGroup(stage.db, { accountId, name: 'Group' })
    await addToGroup(stage.db, { groupId, merchantUuid: member })
    const group = await stage.issue({ accountId, scope: 'group', groupId })
    expect((await deactivate(undefined, {}, { token: merchant.token })).status).toBe(200)
    expect((await deactivate(member, {}, { token: group.token })).status).toBe(200)
    for (const refused of [
      await deactivate(stranger, {}, { token: merchant.token }),
      await deactivate(stranger, {}, { token: group.token }),
      await deactivate(undefined, {}, { token: group.token }),
      await deactivate(undefined),
      await deactivate('nobody'),
    ])
      expect(refused.status).toBe(401)
    const revisions = await Promise.all(
      [own, member, stranger].map(async (one) => (await stored(one)).deactivation_revision),
    )
    expect(revisions).toEqual([1, 1, 0])
  })

  it.each([
    ['deactivationType', undefined],
    ['deactivationType', null],
    ['deactivationType', 'PostingDate'],
    ['deactivationType', 'creationDate'],
    ['deactivationDate', undefined],
    ['deactivationDate', null],
    ['deactivationDate', '2031-01-01'],
    ['deactivationDate', 'never'],
    ['deactivationDate', 1_925_000_000],
    ['integrationId', '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10'],
  ])('names %s when it is %j', async (field, value) => {
    const shop = await newShop()
    const response = await deactivate(shop, { [field]: value })
    expect(response).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect(response.body.message).toContain(`${field}: `)
    expect((await stored(shop)).deactivation_revision).toBe(0)
  })

  it('names both fields when the body has neither, and needs a body', async () => {
    const shop = await newShop()
    const { body } = await stage.call('DELETE', '/v1/merchants', { token, merchant: shop, body: {} })
    for (const field of ['deactivationType', 'deactivationDate']) expect(body.message).toContain(`${field}: `)
    expect((await stage.call('DELETE', '/v1/merchants', { token, merchant: shop })).status).toBe(400)
  })
})

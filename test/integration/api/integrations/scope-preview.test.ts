import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { storedNow } from '../../../interface/tables.ts'
import { addChargeback, addIntegration } from '../chargebacks/chargeback-rows.ts'
import { createStage, type Stage } from '../stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const newIntegration = () => addIntegration(stage.db, stage.ring, stage.merchantUuid)
const preview = (id: string, body: unknown, headers = {}) =>
  stage.call('POST', `/v1/integrations/${id}/scope-settings/preview`, { body, headers })
const put = (id: string, body: unknown) => stage.call('PUT', `/v1/integrations/${id}/scope-settings`, { body })
const nothing = { count: 0, amounts: [], reasons: [], examples: [] }

describe('POST /integrations/{id}/scope-settings/preview', () => {
  test('counts and sums by reason, with ids, and stores nothing', async () => {
    const integrationId = await newIntegration()
    const at = { merchantUuid: stage.merchantUuid, integrationId }
    const amex = await addChargeback(stage.db, at, { card_scheme: 'amex' })
    const small = await addChargeback(stage.db, at, { amount_minor: 150n, currency: 'EUR' })
    const reason = "It is out of scope: reasonCodes 13.1, by version 3 of the integration's rules."
    const aside = await addChargeback(stage.db, at, { status: 'not_represented', status_reason: reason })
    const wanted = await addChargeback(stage.db, at, { card_scheme: 'amex', should_fight: true })
    await addChargeback(stage.db, at, { card_scheme: 'amex', psp_status: 'under_review' })
    await addChargeback(stage.db, { ...at, integrationId: await newIntegration() }, { card_scheme: 'amex' })
    const before = await storedNow(stage.db)
    const response = await preview(integrationId, { cardSchemes: ['amex'], chargebackAmount: { min: 5 } })
    const usd = [{ currency: 'USD', amount: '10.99' }]
    const eur = [{ currency: 'EUR', amount: '1.5' }]
    expect(response.body).toEqual({
      status: 200,
      message: 'Scope preview',
      data: {
        leaves: {
          count: 2,
          amounts: [...eur, ...usd],
          reasons: [
            { dimension: 'cardSchemes', value: 'amex', count: 1, amounts: usd },
            { dimension: 'chargebackAmount', count: 1, amounts: eur },
          ],
          examples: [small, amex],
        },
        returns: {
          count: 1,
          amounts: usd,
          reasons: [{ dimension: 'reasonCodes', value: '13.1', count: 1, amounts: usd }],
          examples: [aside],
        },
        untouched: {
          count: 1,
          amounts: usd,
          reasons: [{ reason: 'The client decided to fight.', count: 1, amounts: usd }],
          examples: [wanted],
        },
      },
    })
    expect(await storedNow(stage.db)).toEqual(before)
  })

  test('of an integration without chargebacks is empty', async () => {
    const { data } = (await preview(await newIntegration(), { cardSchemes: ['amex'] })).body
    expect(data).toEqual({ leaves: nothing, returns: nothing, untouched: nothing })
  })

  test('of the same rules moves nothing', async () => {
    const integrationId = await newIntegration()
    const body = { cardSchemes: ['amex'] }
    await put(integrationId, body)
    const at = { merchantUuid: stage.merchantUuid, integrationId }
    const reason = "It is out of scope: cardSchemes amex, by version 1 of the integration's rules."
    await addChargeback(stage.db, at, { card_scheme: 'amex', status: 'not_represented', status_reason: reason })
    await addChargeback(stage.db, at, { card_scheme: 'visa' })
    expect((await preview(integrationId, body)).body.data).toMatchObject({
      leaves: nothing,
      returns: nothing,
      untouched: { count: 2 },
    })
  })

  test('of another merchant’s integration is that of a missing one, and a malformed id returns 400', async () => {
    const other = await stage.newMerchant(stage.accountId)
    const theirs = await addIntegration(stage.db, stage.ring, other.merchantUuid)
    for (const missing of [theirs, randomUUID()]) {
      const { status, body } = await preview(missing, {})
      expect([status, body.code]).toEqual([404, 'integration_not_found'])
    }
    expect((await preview('no-uuid', {})).status).toBe(400)
  })

  test('is made once at a time for each merchant', async () => {
    const id = await newIntegration()
    const trx = await stage.db.startTransaction().execute()
    await sql`lock table scope_version in access exclusive mode`.execute(trx)
    // One waits for the lock.
    const both = [preview(id, {}), preview(id, {})]
    const refused = await Promise.race(both)
    expect([refused.status, refused.body.code]).toEqual([409, 'preview_in_progress'])
    await trx.commit().execute()
    expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await preview(id, {})).status).toBe(200)
  })

  test.each([
    { cardSchemes: ['x'], reasonCodes: ['y', '10.4', 'z'], chargebackAmount: {}, more: 1 },
    { chargebackAmount: { min: 2, max: 1 }, paymentMethods: [null], reasonGroups: 'fraud' },
    { goLiveDate: '2026-01-01T00:00:00Z' },
    [],
    '',
    '{broken',
  ])('refuses %j with every error, as the change does', async (body) => {
    const integrationId = await newIntegration()
    const [{ errorId: _, ...refused }, { errorId: __, ...ofChange }] = [
      (await preview(integrationId, body)).body,
      (await put(integrationId, body)).body,
    ]
    expect(refused.status).toBe(400)
    expect(refused).toEqual(ofChange)
  })
})

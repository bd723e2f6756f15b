import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CARD_SCHEMES, LIFECYCLE_STAGES, PAYMENT_METHODS, REASON_GROUPS } from '../../../../domain/chargeback.ts'
import { REASON_CODES } from '../../../../domain/reason-codes.ts'
import { addChargeback, addIntegration } from '../chargebacks/chargeback-rows.ts'
import { createStage, type Stage } from '../stage.ts'

let stage: Stage
let id: string
beforeAll(async () => {
  stage = await createStage()
  id = await addIntegration(stage.db, stage.ring, stage.merchantUuid)
})
afterAll(() => stage[Symbol.asyncDispose]())

const put = (body: unknown, to = id, headers = {}) =>
  stage.call('PUT', `/v1/integrations/${to}/scope-settings`, { body, headers })
const read = async (of = id) => (await stage.call('GET', `/v1/integrations/${of}/scope-settings`)).body.data
const empty = { paymentMethods: [], cardSchemes: [], lifecycleStages: [], reasonGroups: [], reasonCodes: [] }
const versions = (of = id) =>
  stage.db.selectFrom('scope_version').selectAll().where('integration_id', '=', of).orderBy('version').execute()

describe('PUT /integrations/{id}/scope-settings', () => {
  test('stores a version with credential and time, and requests the evaluation', async () => {
    const before = stage.dispatched.length
    const body = { cardSchemes: ['visa', 'amex', 'visa'], reasonCodes: ['13.1'], chargebackAmount: { min: 0.5 } }
    const response = await put(body)
    expect([response.status, response.body]).toEqual([200, { status: 200, message: 'Scope settings saved', id }])
    const [saved] = await versions()
    expect(saved).toMatchObject({
      version: 1,
      rules: { cardSchemes: ['amex', 'visa'], reasonCodes: ['13.1'], chargebackAmount: { min: 0.5 } },
      credential_id: stage.credentialId,
      copied_from: null,
    })
    expect(Math.abs(Date.now() - Number(saved?.saved_at))).toBeLessThan(60_000)
    const message = await stage.db
      .selectFrom('outbox')
      .select(['kind', 'payload'])
      .where('outbox_id', '=', stage.dispatched[before] as bigint)
      .executeTakeFirst()
    expect(message).toEqual({ kind: 'reevaluate_scope', payload: { integrationId: id } })
  })

  test('an omitted or empty dimension is cleared, and {} clears all six', async () => {
    await put({ paymentMethods: ['klarna'], lifecycleStages: ['inquiry'], chargebackAmount: { max: 5 } })
    await put({ cardSchemes: ['discover'], lifecycleStages: [] })
    expect(await read()).toEqual({ ...empty, cardSchemes: ['discover'] })
    expect((await put({})).status).toBe(200)
    expect(await read()).toEqual(empty)
  })

  test('the rules that are read can be sent back', async () => {
    await put({ reasonGroups: ['fraud'], chargebackAmount: { min: 0, max: 1e21 } })
    const rules = await read()
    expect((await put(rules)).status).toBe(200)
    expect(await read()).toEqual(rules)
  })

  test.each([
    [{ cardSchemes: ['VISA'] }, 'cardSchemes.0: "VISA" is not one of the options'],
    [{ paymentMethods: ['card', ' cash'] }, 'paymentMethods.1: " cash" is not one of the options'],
    [{ lifecycleStages: ['retrieval'] }, 'lifecycleStages.0: "retrieval"'],
    [{ reasonGroups: ['Fraud'] }, 'reasonGroups.0: "Fraud"'],
    [{ reasonCodes: ['13.1', '13.99'] }, 'reasonCodes.1: "13.99"'],
    [{ reasonCodes: [''] }, 'reasonCodes.0: '],
    [{ cardSchemes: [null] }, 'cardSchemes.0: '],
    [{ cardSchemes: 'visa' }, 'cardSchemes: '],
    [{ cardSchemes: null }, 'cardSchemes: '],
    [{ chargebackAmount: {} }, 'chargebackAmount: Give min, max or both'],
    [{ chargebackAmount: { min: 2, max: 1 } }, 'chargebackAmount.min: Must not be above max'],
    [{ chargebackAmount: { min: -1 } }, 'chargebackAmount.min: '],
    [{ chargebackAmount: { max: '10' } }, 'chargebackAmount.max: '],
    [{ chargebackAmount: { minimum: 1 } }, 'chargebackAmount.minimum: Unknown field'],
    [{ chargebackAmount: null }, 'chargebackAmount: '],
    [{ goLiveDate: '2026-01-01T00:00:00Z' }, 'goLiveDate: Unknown field'],
    [{ merchantAccountCodes: ['a'] }, 'merchantAccountCodes: Unknown field'],
    [[], 'body: '],
  ])('refuses %j', async (body, expected) => {
    const count = (await versions()).length
    const response = await put(body)
    expect([response.status, response.body.code]).toEqual([400, 'validation_failed'])
    expect(response.body.message).toContain(expected)
    expect((await versions()).length).toBe(count)
  })

  test('names every error in one response', async () => {
    const { body } = await put({ cardSchemes: ['x'], reasonCodes: ['y', '10.4', 'z'], chargebackAmount: {}, more: 1 })
    for (const path of ['cardSchemes.0', 'reasonCodes.0', 'reasonCodes.2', 'chargebackAmount', 'more'])
      expect(body.message).toContain(`${path}: `)
    expect(body.message).not.toContain('reasonCodes.1')
  })

  test('accepts an unlisted reason code only if a chargeback of this merchant has it', async () => {
    const { merchantUuid, accountId } = stage
    await addChargeback(stage.db, { merchantUuid, integrationId: id }, { reason_code: 'house_rule' })
    expect((await put({ reasonCodes: ['house_rule'] })).status).toBe(200)
    const other = await stage.newMerchant(accountId)
    const theirs = await addIntegration(stage.db, stage.ring, other.merchantUuid)
    const { token } = await stage.issue({ accountId, scope: 'merchant', merchantUuid: other.merchantUuid })
    const path = `/v1/integrations/${theirs}/scope-settings`
    const response = await stage.call('PUT', path, { token, body: { reasonCodes: ['house_rule'] } })
    expect([response.status, response.body.message.slice(0, 27)]).toEqual([400, 'reasonCodes.0: "house_rule"'])
  })

  test('another merchant’s integration is a missing one, and a malformed id returns 400', async () => {
    const other = await stage.newMerchant(stage.accountId)
    const theirs = await addIntegration(stage.db, stage.ring, other.merchantUuid)
    for (const missing of [theirs, randomUUID()])
      expect((await put({}, missing)).body.code).toBe('integration_not_found')
    expect(await versions(theirs)).toEqual([])
    expect((await put({}, 'no-uuid')).status).toBe(400)
  })

  test('the same Idempotency-Key stores one version', async () => {
    const count = (await versions()).length
    const headers = { 'idempotency-key': randomUUID() }
    const [one, two] = [
      await put({ cardSchemes: ['elo'] }, id, headers),
      await put({ cardSchemes: ['elo'] }, id, headers),
    ]
    expect(two.body).toEqual(one.body)
    expect((await versions()).length).toBe(count + 1)
  })

  test('a saved version never changes', async () => {
    await put({})
    const change = stage.db.updateTable('scope_version').set({ rules: '{}' }).execute()
    await expect(change).rejects.toThrow(/never changes/)
    await expect(stage.db.deleteFrom('scope_version').execute()).rejects.toThrow(/never changes/)
  })

  test('a new child copies its parent’s rules, and later changes of the parent don’t affect it', async () => {
    const child = () =>
      stage.call('POST', '/v1/integrations', {
        body: {
          integrationName: 'Child',
          externalIdentifier: `acct_${randomUUID().slice(0, 8)}`,
          source: 'stripe',
          secretType: 'APIKEY_ONLY',
          secretPayload: { apiKey: 'rk_test_planted' },
          parentIntegrationId: id,
        },
      })
    await put({ cardSchemes: ['jcb'] })
    const { integrationId } = (await child()).body
    await put({ cardSchemes: ['diners'] })
    expect(await read(integrationId)).toEqual({ ...empty, cardSchemes: ['jcb'] })
    expect(await versions(integrationId)).toMatchObject([{ version: 1, copied_from: id, credential_id: null }])
    await put({ cardSchemes: ['elo'] }, integrationId)
    expect(await read()).toEqual({ ...empty, cardSchemes: ['diners'] })
  })
})

describe('GET /integrations/{id}/scope-settings', () => {
  test('shows no rule if none was saved, and an ETag shows whether they changed', async () => {
    const fresh = await addIntegration(stage.db, stage.ring, stage.merchantUuid)
    const path = `/v1/integrations/${fresh}/scope-settings`
    const first = await stage.call('GET', path)
    expect(first.body).toEqual({ status: 200, message: 'Scope settings', data: empty })
    const headers = { 'if-none-match': first.headers.get('etag') as string }
    expect((await stage.call('GET', path, { headers })).status).toBe(304)
    await put({ cardSchemes: ['elo'] }, fresh)
    expect((await stage.call('GET', path, { headers })).status).toBe(200)
  })

  test('another merchant’s integration is a missing one', async () => {
    const other = await stage.newMerchant(stage.accountId)
    const theirs = await addIntegration(stage.db, stage.ring, other.merchantUuid)
    expect((await stage.call('GET', `/v1/integrations/${theirs}/scope-settings`)).status).toBe(404)
  })
})

describe('GET /scope-settings/options', () => {
  const options = (headers = {}) => stage.call('GET', '/v1/scope-settings/options', { headers })

  test('lists the values of each dimension, sorted, with the merchant’s own reason codes', async () => {
    await addChargeback(
      stage.db,
      { merchantUuid: stage.merchantUuid, integrationId: id },
      { reason_code: 'a_code_of_ours' },
    )
    const { body } = await options()
    expect(body).toEqual({
      status: 200,
      message: 'Scope options',
      data: {
        paymentMethods: [...PAYMENT_METHODS].sort(),
        cardSchemes: [...CARD_SCHEMES].sort(),
        lifecycleStages: [...LIFECYCLE_STAGES].sort(),
        reasonGroups: [...REASON_GROUPS].sort(),
        reasonCodes: [...new Set([...REASON_CODES, 'a_code_of_ours', 'house_rule'])].sort(),
      },
    })
  })

  test('the ETag is valid until a new reason code appears', async () => {
    const etag = (await options()).headers.get('etag') as string
    expect((await options({ 'if-none-match': etag })).status).toBe(304)
    const at = { merchantUuid: stage.merchantUuid, integrationId: id }
    for (const code of ['zz_new', 'zz_new']) await addChargeback(stage.db, at, { reason_code: code })
    const again = await options({ 'if-none-match': etag })
    expect(again.body.data.reasonCodes.filter((code: string) => code === 'zz_new')).toEqual(['zz_new'])
  })
})

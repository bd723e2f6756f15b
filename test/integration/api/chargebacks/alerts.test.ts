import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { storeAlert } from '../../../../db/alerts/alerts.ts'
import { personLookups } from '../../../../db/erasure/persons.ts'
import { ALERT_OUTCOMES, type AlertFacts, REFUND_STATES } from '../../../../domain/alert.ts'
import { createStage, type Stage } from '../stage.ts'
import { addIntegration } from './chargeback-rows.ts'

const OUTCOME = '/v1/pre-chargeback-alerts/alerts/outcome'
const ALERTS = '/v1/pre-chargeback-alerts/alerts'
const FOREIGN_ID = '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10'

let stage: Stage
let integrationId: string
let count = 0

beforeAll(async () => {
  stage = await createStage()
  integrationId = await addIntegration(stage.db, stage.ring, stage.merchantUuid)
})
afterAll(() => stage[Symbol.asyncDispose]())

const facts = (changes: Partial<AlertFacts> = {}): AlertFacts => ({
  reference: `alert-${++count}`,
  psp: 'stripe',
  providerName: 'Ethoca',
  money: { currency: 'EUR', amountMinor: 1099n, amountExponent: 2 },
  alertDate: '2026-01-31T09:30:00.000Z',
  transactionId: 'tx-1',
  arn: null,
  externalTransactionIdentifier: null,
  reasonCode: null,
  reason: null,
  fraudType: 'card_never_received',
  cardScheme: 'mastercard',
  paymentMethod: 'card',
  bin: '555555',
  cardLastFourDigits: '4444',
  ...changes,
})

const anAlert = (changes: Partial<AlertFacts> = {}, { merchantUuid } = stage) =>
  storeAlert(stage.db, { merchantUuid, integrationId }, facts(changes))
const report = (body: unknown, headers?: Record<string, string>) =>
  stage.call('POST', OUTCOME, { body, ...(headers && { headers }) })

describe('POST /pre-chargeback-alerts/alerts/outcome', () => {
  test('records an outcome, and the alert shows it', async () => {
    const alertId = await anAlert()
    const body = { alertId, providerName: 'Ethoca', refunded: 'refunded', outcome: 'stopped', comments: 'in time' }
    const response = await report(body)
    expect(response.body).toEqual({ status: 201, message: expect.any(String), id: expect.any(String) })
    const read = await stage.call('GET', `${ALERTS}/${alertId}`)
    expect(read.body.data).toEqual({
      alertId,
      providerName: 'Ethoca',
      providerAlertId: `alert-${count}`,
      referenceAccountId: stage.referenceId,
      integrationId,
      psp: 'stripe',
      currency: 'EUR',
      amount: 10.99,
      alertDate: '2026-01-31T09:30:00.000Z',
      transactionId: 'tx-1',
      fraudType: 'card_never_received',
      cardScheme: 'mastercard',
      paymentMethod: 'card',
      bin: '555555',
      cardLastFourDigits: '4444',
      receivedAt: expect.any(String),
      refunded: 'refunded',
      outcome: 'stopped',
      comments: 'in time',
      reportedAt: expect.any(String),
    })
  })

  test.each([
    ...ALERT_OUTCOMES.map((outcome) => [outcome, { outcome }] as const),
    ...REFUND_STATES.map((refunded) => [refunded, { refunded }] as const),
  ])('accepts %s alone, and it is final unless it is interim', async (_, one) => {
    const alertId = await anAlert()
    const first = await report({ alertId, providerName: 'Ethoca', ...one })
    expect(first.status).toBe(201)
    const again = await report({ alertId, providerName: 'Ethoca', ...one })
    expect(again).toMatchObject({ status: 201, body: { id: first.body.id } })
    const other = await report({ alertId, providerName: 'Ethoca', ...one, comments: 'more' })
    const interim = 'outcome' in one && ['in_progress', 'shipper_contacted'].includes(one.outcome)
    if (interim) expect(other.body.id).not.toBe(first.body.id)
    else expect(other).toMatchObject({ status: 400, body: { code: 'alert_outcome_final' } })
  })

  test('a final outcome replaces an interim one', async () => {
    const alertId = await anAlert()
    for (const outcome of ['in_progress', 'shipper_contacted', 'in_progress', 'resolved'])
      expect((await report({ alertId, providerName: 'Ethoca', outcome })).status).toBe(201)
    const back = await report({ alertId, providerName: 'Ethoca', outcome: 'in_progress' })
    expect(back.body.code).toBe('alert_outcome_final')
    expect((await stage.call('GET', `${ALERTS}/${alertId}`)).body.data.outcome).toBe('resolved')
  })

  test('an id in capitals names the same alert, and its comments are returned', async () => {
    const alertId = await anAlert()
    const named = { alertId: alertId.toUpperCase(), providerName: 'Ethoca', outcome: 'stopped', comments: 'in time' }
    expect((await report(named)).status).toBe(201)
    const read = await stage.call('GET', `${ALERTS}/${alertId.toUpperCase()}`)
    expect(read.body.data).toMatchObject({ alertId, comments: 'in time' })
  })

  test('of two concurrent outcomes one is recorded and the other refused', async () => {
    const alertId = await anAlert()
    const responses = await Promise.all(
      ['resolved', 'missed'].map((outcome) => report({ alertId, providerName: 'Ethoca', outcome })),
    )
    expect(responses.map((response) => response.status).sort()).toEqual([201, 400])
  })

  test('an outcome from a provider that did not raise the alert is refused', async () => {
    const alertId = await anAlert()
    const response = await report({ alertId, providerName: 'Verifi RDR', outcome: 'resolved' })
    expect(response).toMatchObject({ status: 400, body: { code: 'alert_provider_mismatch' } })
  })

  test('an alert without a provider gets the provider of its first report', async () => {
    const alertId = await anAlert({ providerName: null })
    expect((await report({ alertId, providerName: 'Verifi CDRN', outcome: 'in_progress' })).status).toBe(201)
    const other = await report({ alertId, providerName: 'Ethoca', outcome: '130' })
    expect(other.body.code).toBe('alert_provider_mismatch')
    expect((await stage.call('GET', `${ALERTS}/${alertId}`)).body.data.providerName).toBe('Verifi CDRN')
  })

  test('an unknown alert, another merchant’s alert and a malformed id return the same 404', async () => {
    const other = await stage.newMerchant(stage.accountId)
    const foreign = await anAlert({}, { ...stage, ...other })
    for (const alertId of [FOREIGN_ID, foreign, 'no-uuid']) {
      const response = await report({ alertId, providerName: 'Ethoca', outcome: 'resolved' })
      expect(response).toMatchObject({ status: 404, body: { code: 'alert_not_found' } })
      if (alertId === foreign) continue
      expect((await stage.call('GET', `${ALERTS}/${alertId}`)).body.code).toBe('alert_not_found')
    }
  })

  test('every invalid field is named', async () => {
    const body = { alertId: 7, providerName: 'Verifi', refunded: 'yes', comments: 'x'.repeat(501), status: 'done' }
    const response = await report(body)
    expect(response).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    for (const name of ['alertId', 'providerName', 'refunded', 'comments', 'status'])
      expect(response.body.message).toContain(`${name}: `)
  })

  test.each([
    ['neither refunded nor outcome', {}, /At least one of refunded and outcome/],
    ['a null', { outcome: null }, /outcome: /],
    ['a number for a code', { outcome: 100 }, /outcome: /],
    ['a synonym', { outcome: 'Resolved' }, /outcome: /],
    ['an underscore in a refund state', { refunded: 'not_refunded' }, /refunded: /],
  ])('%s is refused', async (_, part, message) => {
    const alertId = await anAlert()
    const response = await report({ alertId, providerName: 'Ethoca', ...part })
    expect(response.status).toBe(400)
    expect(response.body.message).toMatch(message)
  })

  test('a body that is not an object is refused', async () => {
    for (const body of ['null', '[]', '"x"', '7']) expect((await report(body)).status).toBe(400)
  })

  test('a repeated Idempotency-Key gets the stored response', async () => {
    const alertId = await anAlert()
    const body = { alertId, providerName: 'Ethoca', outcome: 'in_progress' }
    const headers = { 'idempotency-key': `outcome-${alertId}` }
    const [first, second] = [await report(body, headers), await report(body, headers)]
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    const other = await report({ ...body, outcome: 'resolved' }, headers)
    expect(other.body.code).toBe('idempotency_key_reused')
  })

  test('comments are sealed, and found by the e-mail address in them', async () => {
    const alertId = await anAlert()
    const comments = 'Told Canary.Holder@Example.com that it is cancelled'
    await report({ alertId, providerName: 'Ethoca', outcome: 'stopped', comments })
    const row = await stage.db
      .selectFrom('alert_outcome')
      .select(['comments_sealed', 'persons'])
      .where('alert_id', '=', alertId)
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(row)).not.toMatch(/canary/i)
    const lookups = personLookups(stage.ring, 'canary.holder@example.com')
    expect(row.persons.some((one) => lookups.some((wanted) => wanted.equals(one)))).toBe(true)
  })
})

describe('GET /pre-chargeback-alerts/alerts', () => {
  test('pages through the merchant’s own alerts, newest first', async () => {
    const merchant = await stage.newMerchant(stage.accountId)
    const own = { ...stage, merchantUuid: merchant.merchantUuid }
    const ids: string[] = []
    for (let n = 0; n < 21; n++) ids.unshift(await anAlert({}, own))
    const { token } = await stage.issue({
      accountId: stage.accountId,
      scope: 'merchant',
      merchantUuid: merchant.merchantUuid,
    })
    const pages = []
    for (const page of [1, 2, 3, 4]) pages.push((await stage.call('GET', `${ALERTS}?page=${page}`, { token })).body)
    expect(pages.flatMap((page) => page.data.map((one: { alertId: string }) => one.alertId))).toEqual(ids)
    expect(pages.map((page) => page.hasMore)).toEqual([true, true, false, false])
  })

  test.each(['limit=9', 'limit=101', 'limit=ten', 'page=0', 'page=1.5'])('%s is refused', async (query) => {
    expect((await stage.call('GET', `${ALERTS}?${query}`)).body.code).toBe('validation_failed')
  })
})

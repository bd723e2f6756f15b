import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { open, readKeyRing, sealContext } from '../../../db/core/seal.ts'
import { addErasedSubject } from '../../../db/erasure/erased.ts'
import { personLookups } from '../../../db/erasure/persons.ts'
import { issueCredential } from '../../../db/merchants/credentials.ts'
import { PSPS } from '../../../domain/chargeback.ts'
import { createSandbox, RAW_DATA, recoupShape, type Sandbox, type Upload } from './sandbox.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await createSandbox()
})
afterAll(() => sandbox[Symbol.asyncDispose]())

const stored = async () =>
  Number(
    (
      await sandbox.stage.db
        .selectFrom('ingestion')
        .select((eb) => eb.fn.countAll().as('n'))
        .executeTakeFirstOrThrow()
    ).n,
  )

describe('POST /sandbox/raw-data', () => {
  test('returns the ingestion’s id, and requests its processing in the same transaction', async () => {
    const response = await sandbox.post(recoupShape())
    expect(response.body).toEqual({ status: 201, message: expect.any(String), id: expect.any(String) })
    const read = await sandbox.read(`/sandbox/raw-data/${response.body.id}`)
    expect(read).toEqual({
      id: response.body.id,
      status: 'created',
      dataType: 'chargebacks',
      rawDataId: 'cb-1',
      createdAt: expect.any(String),
    })
    const message = await sandbox.stage.db
      .selectFrom('outbox')
      .select(['outbox_id', 'kind', 'payload'])
      .where('kind', '=', 'ingest_raw_data')
      .executeTakeFirstOrThrow()
    expect(message.payload).toEqual({ ingestionId: response.body.id })
    expect(sandbox.stage.dispatched).toContain(message.outbox_id)
  })

  test('is forbidden in production, with any body', async () => {
    const { accountId, merchantUuid, db, ring, call, secondApp } = sandbox.stage
    const scope = { scope: 'merchant', merchantUuid, environment: 'production' } as const
    const { token } = await issueCredential(db, ring, { accountId, ...scope })
    const app = secondApp({ environment: 'production' })
    for (const [method, path] of [
      ['POST', RAW_DATA],
      ['GET', `${RAW_DATA}/x`],
    ] as const) {
      const response = await call(method, path, { token, ...(method === 'POST' && { body: {} }) }, app)
      expect(response).toMatchObject({ status: 403, body: { code: 'sandbox_only' } })
    }
  })

  test('a sandbox integration accepts every dataSource', async () => {
    for (const dataSource of PSPS.filter((_, index) => index % 12 === 0))
      expect((await sandbox.post(recoupShape({ chargebackId: `of-${dataSource}` }), { dataSource })).status).toBe(201)
  })

  test('any other integration accepts only its own source, which the refusal names', async () => {
    const integrationId = await sandbox.integrate({ source: 'stripe', secretPayload: { apiKey: 'rk_test_1' } })
    const refused = await sandbox.post(recoupShape(), { integrationId, dataSource: 'paypal' })
    expect(refused).toMatchObject({ status: 400, body: { code: 'data_source_not_accepted' } })
    expect(refused.body.message).toMatch(/dataSource: .*stripe/)
    expect((await sandbox.post(recoupShape(), { integrationId, dataSource: 'stripe' })).status).toBe(201)
  })

  test('an unknown integration, another merchant’s and a malformed id return the same 404', async () => {
    const { merchantUuid } = await sandbox.stage.newMerchant(sandbox.stage.accountId)
    const foreign = await sandbox.integrate({ merchantUuid })
    for (const integrationId of ['0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10', foreign, 'x'])
      expect((await sandbox.post(recoupShape(), { integrationId })).body.code).toBe('integration_not_found')
  })

  test('an inactive integration is refused', async () => {
    const integrationId = await sandbox.integrate()
    const { db } = sandbox.stage
    await db
      .updateTable('integration')
      .set({ status: 'INACTIVE' })
      .where('integration_id', '=', integrationId)
      .execute()
    expect((await sandbox.post(recoupShape(), { integrationId })).body.code).toBe('integration_not_usable')
  })

  test('every field is required, and every invalid one is named', async () => {
    const { stage } = sandbox
    const empty = await stage.call('POST', RAW_DATA, { body: {} })
    const names = ['dataSource', 'dataSourceVersion', 'dataType', 'integrationId', 'requestTimeStamp', 'rawData']
    for (const name of names) expect(empty.body.message).toContain(`${name}: `)
    const body = {
      dataSource: 'Stripe',
      dataSourceVersion: '',
      dataType: 'chargeback',
      integrationId: null,
      requestTimeStamp: '2026-06-01',
      rawData: [],
      more: 1,
    }
    const invalid = await stage.call('POST', RAW_DATA, { body })
    expect(invalid.body.code).toBe('validation_failed')
    for (const name of [...names, 'more']) expect(invalid.body.message).toContain(`${name}: `)
  })

  const cases: [string, unknown, Upload, RegExp][] = [
    ['a derived field', recoupShape({ status: 'waiting_for_data' }), {}, /rawData: status is derived/],
    ['a value of another enumeration', recoupShape({ pspStatus: 'open' }), {}, /rawData: pspStatus must be one of/],
    ['another psp', recoupShape({ psp: 'stripe' }), { dataSource: 'nmi' }, /rawData: psp must be the dataSource/],
    ['no amount', recoupShape({ amount: undefined }), {}, /rawData: amount is required/],
    ['an alert without a provider', recoupShape({ lifecycleStage: 'alert' }), {}, /rawData: providerName/],
    ['a source without its own shape', { id: 'x' }, { dataSource: 'nmi' }, /chargebackId/],
    ['a dispute that Stripe’s translation refuses', { object: 'dispute' }, { dataSource: 'stripe' }, /rawData: /],
    ['a dispute that PayPal’s translation refuses', { dispute_id: 7 }, { dataSource: 'paypal' }, /rawData: /],
    ['a dispute that Braintree’s translation refuses', { id: 'x' }, { dataSource: 'braintree' }, /rawData: /],
    ['a notification that Adyen’s translation refuses', { eventCode: 7 }, { dataSource: 'adyen' }, /rawData: /],
    [
      'a transaction with invalid fields',
      { transactionCardBin: '1' },
      { dataType: 'transactions' },
      /rawData\.transactionId.*rawData\.transactionCardBin/,
    ],
    ['a record without an id', { chargebackId: 'x' }, { dataType: 'refunds' }, /rawData: id is required/],
    ['a record that names nothing', { id: 'x' }, { dataType: 'card_checks' }, /rawData: it must name/],
    [
      'a record nested too deep',
      { id: 'x', arn: 'y', a: { b: { c: { d: { e: 1 } } } } },
      { dataType: 'refunds' },
      /deeper/,
    ],
    [
      'a warning that is a chargeback',
      recoupShape({ providerName: 'Ethoca' }),
      { dataType: 'early_fraud_warnings' },
      /lifecycleStage/,
    ],
    [
      'a Radar warning without a charge',
      { id: 'issfr_1', object: 'radar.early_fraud_warning' },
      { dataSource: 'stripe', dataType: 'early_fraud_warnings' },
      /charge is missing/,
    ],
  ]
  test.each(cases)('%s is refused with a message, and nothing is stored', async (_, rawData, upload, expected) => {
    const before = await stored()
    const response = await sandbox.post(rawData, upload)
    expect(response).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect(response.body.message).toMatch(expected)
    expect(await stored()).toBe(before)
  })

  test('the object is stored unchanged, sealed, and found by the e-mail address in it', async () => {
    const text = `{"chargebackId":"cb-kept", "currency":"EUR","amount":1.50,"pspStatus":"won","lifecycleStage":"claim","reason":"canary@example.org"}`
    const whole = JSON.stringify({
      dataSource: 'recoup_sandbox',
      dataSourceVersion: '1',
      dataType: 'chargebacks',
      integrationId: sandbox.home,
      requestTimeStamp: '2026-06-01T10:00:00Z',
    }).replace('}', `,"rawData":${text}}`)
    const response = await sandbox.stage.call('POST', RAW_DATA, { body: whole })
    const row = await sandbox.stage.db
      .selectFrom('ingestion')
      .select(['sealed', 'persons', 'integration_id'])
      .where('ingestion_id', '=', response.body.id)
      .executeTakeFirstOrThrow()
    expect(open(sandbox.stage.ring, row.sealed ?? '', sealContext.rawObject(row.integration_id))).toBe(text)
    const [wanted] = personLookups(sandbox.stage.ring, 'Canary@example.org')
    expect(row.persons.some((one) => wanted?.equals(one))).toBe(true)
  })

  test('an erased person is not in the stored object, also in a process that has read no key of erasures yet', async () => {
    const { stage, home } = sandbox
    const who = { email: 'gone@example.org', firstName: 'Gunda', lastName: 'Gone' }
    await addErasedSubject(stage.db, stage.ring, stage.merchantUuid, who)
    const body = {
      ...{ dataSource: 'recoup_sandbox', dataSourceVersion: '1', dataType: 'chargebacks', integrationId: home },
      ...{ requestTimeStamp: '2026-06-01T10:00:00Z', rawData: recoupShape({ reason: 'Asked by gone@example.org' }) },
    }
    const ring = readKeyRing(stage.keys)
    const response = await stage.call('POST', RAW_DATA, { body }, stage.secondApp({ ring }))
    const row = await stage.db
      .selectFrom('ingestion')
      .select('sealed')
      .where('ingestion_id', '=', response.body.id)
      .executeTakeFirstOrThrow()
    const text = open(ring, row.sealed ?? '', sealContext.rawObject(home))
    expect(text).toContain('cb-1')
    expect(text).not.toContain('gone@example.org')
  })

  test('an integration id in capitals is the same: the object can be read again', async () => {
    const response = await sandbox.post(recoupShape(), { integrationId: sandbox.home.toUpperCase() })
    const { sealed } = await sandbox.stage.db
      .selectFrom('ingestion')
      .select('sealed')
      .where('ingestion_id', '=', response.body.id)
      .executeTakeFirstOrThrow()
    expect(open(sandbox.stage.ring, sealed ?? '', sealContext.rawObject(sandbox.home))).toContain('cb-1')
  })

  test('a repeated Idempotency-Key posts once', async () => {
    const headers = { 'idempotency-key': 'raw-1' }
    const before = await stored()
    const [first, second] = [
      await sandbox.post(recoupShape(), {}, headers),
      await sandbox.post(recoupShape(), {}, headers),
    ]
    expect(second.body).toEqual(first.body)
    expect(await stored()).toBe(before + 1)
  })

  test('an ingestion of another merchant, an unknown one and a malformed id return the same 404', async () => {
    const { stage } = sandbox
    const { merchantUuid } = await stage.newMerchant(stage.accountId)
    const { token } = await stage.issue({ accountId: stage.accountId, scope: 'merchant', merchantUuid })
    const { body } = await sandbox.post(recoupShape())
    for (const id of [body.id, '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10', 'x'])
      expect((await stage.call('GET', `${RAW_DATA}/${id}`, { token })).body.code).toBe('ingestion_not_found')
  })
})

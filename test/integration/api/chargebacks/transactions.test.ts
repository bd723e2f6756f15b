import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Stage } from '../stage.ts'
import { addChargeback, addIntegration, type Place, stageWithIntegration } from './chargeback-rows.ts'

let stage: Stage
let at: Place
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
})
afterAll(() => stage[Symbol.asyncDispose]())

const post = (body: unknown, options = {}) => stage.call('POST', '/v1/transactions', { body, ...options })
const read = async (id: string) => (await stage.call('GET', `/v1/chargebacks/${id}`)).body.data
const timeline = (id: string) =>
  stage.db
    .selectFrom('timeline_event')
    .select(['source', 'what', 'before', 'after'])
    .where('chargeback_id', '=', id)
    .orderBy('timeline_event_id')
    .execute()
const records = () => stage.db.selectFrom('transaction_record').selectAll().execute()

const order = {
  transactionOrderIpAddress: '203.0.113.9',
  transactionOrderDeviceId: 'device-9',
  transactionOrderEmail: 'Buyer@Example.com',
}

describe('POST /transactions', () => {
  it('stores a record and returns its id, which updates keep', async () => {
    const first = await post({ transactionId: 'tx_1', transactionStatus: 'settled' })
    expect(first).toMatchObject({ status: 201, body: { status: 201, message: 'Transaction stored' } })
    const second = await post({ transactionId: 'tx_1', ...order })
    expect(second.body.id).toBe(first.body.id)
    const [row] = (await records()).filter((one) => one.transaction_id === 'tx_1')
    expect(row?.data_points.sort()).toEqual([...Object.keys(order), 'transactionStatus'].sort())
  })

  it('seals personal data', async () => {
    await post({ transactionId: 'tx_sealed', ...order, transactionShippingToAddressLine1: 'Planted Street 1' })
    const [row] = (await records()).filter((one) => one.transaction_id === 'tx_sealed')
    expect(JSON.stringify(row)).not.toMatch(/Buyer|buyer|203\.0\.113|Planted|device-9/)
    expect(row?.persons).toHaveLength(1)
  })

  it.each(['transaction_id', 'external_transaction_identifier', 'arn'] as const)(
    'joins a chargeback with the same %s and decides it again',
    async (column) => {
      const value = `join-${column}`
      const id = await addChargeback(stage.db, at, { [column]: value })
      const before = await read(id)
      expect(before).toMatchObject({ isEnriched: false })
      const given = column === 'arn' ? { transactionId: 'other', transactionArn: value } : { transactionId: value }
      await post({ ...given, ...order })
      const after = await read(id)
      expect(after).toMatchObject({ isEnriched: true, status: 'waiting_for_data' })
      expect(after.enrichmentRatio).toBeGreaterThan(before.enrichmentRatio)
      expect(after.winProbability).toBeGreaterThan(0)
      const [joined, ...rest] = await timeline(id)
      expect(joined).toMatchObject({
        source: 'api',
        what: 'transaction joined',
        before: { isEnriched: false },
        after: { isEnriched: true },
      })
      expect(joined?.after).toMatchObject({ added: expect.arrayContaining(Object.keys(order)) })
      expect(rest.map((event) => event.what)).toContain('assessment changed')
      expect(JSON.stringify([joined, rest])).not.toMatch(/buyer|203\.0/i)
    },
  )

  it('builds evidence once the data is complete enough', async () => {
    const id = await addChargeback(stage.db, at, {
      transaction_id: 'tx_complete',
      reason_group: 'compliance',
      arn: '1',
      transaction_created_date: new Date(),
    })
    await post({ transactionId: 'tx_complete', transactionStatus: 'settled', transactionOrderEmail: 'a@b.cd' })
    expect(await read(id)).toMatchObject({ status: 'building_evidence', enrichmentRatio: 1 })
  })

  it('changes nothing when nothing new is given', async () => {
    const id = await addChargeback(stage.db, at, { transaction_id: 'tx_same' })
    await post({ transactionId: 'tx_same', ...order })
    const events = await timeline(id)
    await post({ transactionId: 'tx_same', ...order })
    expect(await timeline(id)).toEqual(events)
  })

  it('removes a field given as an empty text, and records a changed value', async () => {
    const id = await addChargeback(stage.db, at, { transaction_id: 'tx_back' })
    await post({ transactionId: 'tx_back', ...order })
    const { enrichmentRatio } = await read(id)
    await post({ transactionId: 'tx_back', transactionOrderEmail: 'new@example.com' })
    expect(await read(id)).toMatchObject({ enrichmentRatio })
    await post({ transactionId: 'tx_back', transactionOrderDeviceId: '' })
    expect((await read(id)).enrichmentRatio).toBeLessThan(enrichmentRatio)
    const events = (await timeline(id)).filter((event) => event.what === 'transaction changed')
    expect(events).toMatchObject([
      { before: null, after: { fields: ['transactionOrderEmail'] } },
      { after: { removed: ['transactionOrderDeviceId'] } },
    ])
  })

  it('follows a corrected ARN', async () => {
    const id = await addChargeback(stage.db, at, { arn: 'arn-wrong' })
    const right = await addChargeback(stage.db, at, { arn: 'arn-right' })
    await post({ transactionId: 'tx_arn', transactionArn: 'arn-wrong', ...order })
    expect(await read(id)).toMatchObject({ isEnriched: true })
    await post({ transactionId: 'tx_arn', transactionArn: 'arn-right' })
    expect(await read(id)).toMatchObject({ isEnriched: false, enrichmentRatio: expect.any(Number) })
    expect(await read(right)).toMatchObject({ isEnriched: true })
  })

  it('never joins a chargeback of another merchant', async () => {
    const other = await stage.newMerchant(stage.accountId)
    const integrationId = await addIntegration(stage.db, stage.ring, other.merchantUuid)
    const id = await addChargeback(stage.db, { ...other, integrationId }, { transaction_id: 'tx_foreign' })
    await post({ transactionId: 'tx_foreign', ...order })
    expect(await timeline(id)).toEqual([])
  })

  it('loses no update of concurrent requests', async () => {
    const id = await addChargeback(stage.db, at, { transaction_id: 'tx_race', arn: 'arn-race' })
    const names = Object.entries(order)
    const responses = await Promise.all([
      ...names.map(([name, value]) => post({ transactionId: 'tx_race', [name]: value })),
      post({ transactionId: 'tx_race_2', transactionArn: 'arn-race', transactionOrderPhone: '+15550100' }),
      stage.call('PATCH', `/v1/chargebacks/${id}`, { body: { transactionOrderUserAgent: 'curl' } }),
    ])
    expect(responses.map((response) => response.status)).toEqual(responses.map(() => 201))
    const [row] = (await records()).filter((one) => one.transaction_id === 'tx_race')
    expect(row?.data_points.sort()).toEqual(names.map(([name]) => name).sort())
    const chargeback = await stage.db
      .selectFrom('chargeback')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(chargeback.data_points).toEqual(
      expect.arrayContaining([...names.map(([name]) => name), 'transactionOrderPhone', 'transactionOrderUserAgent']),
    )
  })

  it('returns the stored response for a repeated Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'tx-key' }
    const first = await post({ transactionId: 'tx_key' }, { headers })
    const second = await post({ transactionId: 'tx_key' }, { headers })
    expect(second.text).toBe(first.text)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
  })

  it.each([
    [{}, 'transactionId: Required'],
    [{ transactionId: '' }, 'transactionId'],
    [{ transactionId: null }, 'transactionId'],
    [{ transactionId: 'x', transactionCardBin: '12345' }, 'transactionCardBin: Must be six or eight digits'],
    [{ transactionId: 'x', transactionCardBin: '1234567' }, 'transactionCardBin'],
    [
      { transactionId: 'x', transactionCardLastFourDigits: '42a2' },
      'transactionCardLastFourDigits: Must be four digits',
    ],
    [{ transactionId: 'x', transactionCardAppleLast4Digits: '42' }, 'transactionCardAppleLast4Digits'],
    [{ transactionId: 'x', transactionOrderEmail: 'nobody' }, 'transactionOrderEmail: Must be an e-mail address'],
    [{ transactionId: 'x', transactionShippingEmail: 'a b@c.d' }, 'transactionShippingEmail'],
    [
      { transactionId: 'x', transactionOrderIpAddress: '300.1.1.1' },
      'transactionOrderIpAddress: Must be an IP address',
    ],
    [{ transactionId: 'x', transactionCreatedDate: '2026-01-31' }, 'transactionCreatedDate: Must be an ISO 8601'],
    [{ transactionId: 'x', transactionCreatedDate: '0000-01-31T00:00:00Z' }, 'transactionCreatedDate'],
    [{ transactionId: 'x', transactionStatus: null }, 'transactionStatus'],
    [{ transactionId: 'x', transactionStatus: 'a\u0000b' }, 'transactionStatus: Invalid characters'],
    [{ transactionId: 'x', amount: 3, other: 1 }, 'amount: Unknown field; other: Unknown field'],
  ])('refuses %j and stores nothing', async (body, message) => {
    const before = (await records()).length
    const response = await post(body)
    expect(response).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect(response.body.message).toContain(message)
    expect((await records()).length).toBe(before)
  })

  it.each([
    { transactionOrderIpAddress: '2001:db8::1' },
    { transactionCardBin: '42424242' },
    { transactionCreatedDate: '2026-01-31T09:30:00+02:00' },
    { transactionShippingToAddressLine2: '' },
    { transactionOrderEmail: 'jürgen+x@bücher.example' },
  ])('accepts %j', async (fields) => {
    expect((await post({ transactionId: 'tx_good', ...fields })).status).toBe(201)
  })
})
